// What a recursion that is not linear returns does not matter.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int size = fib(n) > 5 ? 2 : 1;
    if (size < 1)
        reach_error();
    return 0;
}
