// A recursion that is not linear: a test finds the only input.
// expect: unsafe
// engines: gps gps-lite impact recmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int r = fib(n);
    if (n == 12 && r == 144)
        reach_error();
    return 0;
}
