// Multiplication by repeated addition; negative factors never occur.
// expect: safe
// engines: gps gps-lite cra path-invariants tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int multiply(int n, int m)
{
    if (m < 0)
        return multiply(n, -m);
    if (m == 0)
        return 0;
    return n + multiply(n, m - 1);
}

int main(void)
{
    int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (m < 0 || m > 40000 || n < 0 || n > 40000)
        return 0;
    if (multiply(m, n) != multiply(n, m))
        reach_error();
    return 0;
}
