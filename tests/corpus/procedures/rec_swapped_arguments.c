// Tail recursion that exchanges its arguments.
// expect: safe
// engines: gps impact recmc path-invariants bself tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int apart(int a, int b, int n)
{
    if (n == 0)
        return a - b;
    return apart(b, a, n - 1);
}

int main(void)
{
    int n = __VERIFIER_nondet_int(), a = __VERIFIER_nondet_int();
    if (n < 0 || a < 0 || a > 1000)
        return 0;
    int d = apart(a, a + 3, n);
    if (d != 3 && d != -3)
        reach_error();
    return 0;
}
