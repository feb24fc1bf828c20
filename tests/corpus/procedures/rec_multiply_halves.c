// Multiplication with two calls.
// expect: safe
// engines: none
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int multiply(int n, int m)
{
    if (m <= 0)
        return 0;
    if (m == 1)
        return n;
    return multiply(n, m / 2) + multiply(n, m - m / 2);
}

int main(void)
{
    int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000 || m < 0 || m > 1000)
        return 0;
    if (multiply(n, m) != n * m)
        reach_error();
    return 0;
}
