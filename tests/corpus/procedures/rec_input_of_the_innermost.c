// Only the input of the innermost activation matters.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int last(int n)
{
    int x = __VERIFIER_nondet_int();
    if (n == 0)
        return x;
    return last(n - 1);
}
static int last_plus(int n)
{
    int x = __VERIFIER_nondet_int();
    if (n == 0)
        return x;
    return last_plus(n - 1) + 1;
}

int main(void)
{
    if (last(6) == 77 && last_plus(6) == 100)
        reach_error();
    return 0;
}
