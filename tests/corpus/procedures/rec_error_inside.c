// The error is in the recursion, behind a call that returns.
// expect: unsafe
// engines: gps gps-lite impact recmc bself bse bmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void f(int n)
{
    if (n < 3)
        return;
    f(n - 1);
    if (n == 20)
        reach_error();
}

int main(void)
{
    f(__VERIFIER_nondet_int());
    return 0;
}
