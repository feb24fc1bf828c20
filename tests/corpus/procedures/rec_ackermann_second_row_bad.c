// The second row of Ackermann's function, off by one.
// expect: unsafe
// engines: gps gps-lite recmc path-invariants bself bse kind
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

int main(void)
{
    int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (m < 0 || m > 3 || n < 0 || n > 1000)
        return 0;
    int r = ackermann(m, n);
    if (m == 2 && r < 2 * n + 3 + (n == 4))
        reach_error();
    return 0;
}
