// The error is in a recursion that is not linear; the argument never becomes negative.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int walk(int n)
{
    if (n < 0)
        reach_error();
    if (n <= 1)
        return 1;
    return walk(n - 1) - walk(n - 2);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        return 0;
    walk(n);
    return 0;
}
