// A recursion that is not linear.
// expect: safe
// engines: gps impact recmc bse
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int fib(int n) { return n < 1 ? 0 : n == 1 ? 1 : fib(n - 1) + fib(n - 2); }

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n > 40)
        return 0;
    if (fib(n) < n - 1)
        reach_error();
    return 0;
}
