// C defines a == (a / b) * b + a % b, and both results are stored.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int divide(int a, int b, int *quotient, int *rest)
{
    if (b <= 0)
        return 0;
    *quotient = a / b;
    *rest = a % b;
    return 1;
}

int main(void)
{
    int a = __VERIFIER_nondet_int();
    int q = -1, r = -1;
    if (a >= 0 && divide(a, 7, &q, &r)) {
        if (q * 7 + r != a || r < 0 || r >= 7)
            reach_error();
    }
    if (divide(a, 0, &q, &r))
        reach_error();
    return 0;
}
