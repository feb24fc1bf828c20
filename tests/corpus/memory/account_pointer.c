// A transfer keeps the sum of the balances, and only covered amounts are moved.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

struct account {
    int number;
    unsigned balance;
};

static int transfer(struct account *from, struct account *to, unsigned amount)
{
    if (amount > from->balance)
        return 0;
    from->balance -= amount;
    to->balance += amount;
    return 1;
}

int main(void)
{
    struct account a = { 1, 500 }, b = { 2, 300 };
    for (int i = 0; i < 3; i++) {
        transfer(&a, &b, __VERIFIER_nondet_uint());
        transfer(&b, &a, __VERIFIER_nondet_uint());
    }
    if (a.balance + b.balance != 800)
        reach_error();
    return 0;
}
