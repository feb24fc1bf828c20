// A recursion over two values that is known at 1, between values that are not.
// expect: unsafe
// engines: gps gps-lite impact recmc bse kind bmc tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int f(int n, int k)
{
    if (n == 1)
        return 0;
    if (n < -2)
        return -2;
    return f(n - 2, k) + f(n - 1, k) + 1 + (k & 0);
}

int main(void)
{
    int k = __VERIFIER_nondet_int();
    if (f(2, k) < 0)
        reach_error();
    return 0;
}
