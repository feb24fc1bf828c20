// A recursion that changes what a pointer leads to, with an input in each activation.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void collect(int n, int *sum)
{
    if (n <= 0)
        return;
    int before = __VERIFIER_nondet_int();
    collect(n - 1, sum);
    if (before == n + *sum)
        *sum = *sum + 1;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int sum = 0;
    if (n < 0 || n > 10)
        return 0;
    collect(n, &sum);
    if (sum == 3 && n == 4)
        reach_error();
    return 0;
}
