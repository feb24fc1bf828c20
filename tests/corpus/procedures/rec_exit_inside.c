// The execution ends in the recursion before the error.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void exit(int);

static int f(int n)
{
    if (n == 0)
        exit(0);
    return f(n - 1) + 1;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        return 0;
    f(n);
    reach_error();
    return 0;
}
