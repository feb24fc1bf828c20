// Tail recursion with two calls: the sum is moved from one argument to the other.
// expect: safe
// engines: gps gps-lite cra recmc path-invariants tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int add(int m, int n)
{
    if (n == 0)
        return m;
    if (n > 0)
        return add(m + 1, n - 1);
    return add(m - 1, n + 1);
}

int main(void)
{
    int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (m < -1000000 || m > 1000000 || n < -1000000 || n > 1000000)
        return 0;
    if (add(m, n) != m + n)
        reach_error();
    return 0;
}
