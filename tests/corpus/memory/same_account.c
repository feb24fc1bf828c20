// Input: 2 2 50 (a transfer to the same account creates money).
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

struct account {
    unsigned balance;
};

static void transfer(struct account *from, struct account *to, unsigned amount)
{
    unsigned f = from->balance, t = to->balance;
    if (amount > f)
        return;
    from->balance = f - amount;
    to->balance = t + amount;
}

int main(void)
{
    struct account bank[3] = { { 100 }, { 100 }, { 100 } };
    unsigned from = __VERIFIER_nondet_uint(), to = __VERIFIER_nondet_uint();
    if (from >= 3 || to >= 3)
        return 0;
    transfer(&bank[from], &bank[to], __VERIFIER_nondet_uint());
    if (bank[0].balance + bank[1].balance + bank[2].balance != 300)
        reach_error();
    return 0;
}
