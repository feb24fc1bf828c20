// A recursion without base case that reaches the error on its way.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static int f(unsigned n)
{
    if (n == 1000)
        reach_error();
    return f(n + 1) + 1;
}

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    if (n > 990)
        f(n);
    return 0;
}
