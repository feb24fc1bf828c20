// The depth of a recursion that splits an interval anywhere.
// expect: safe
// engines: gps recmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int depth(int lo, int hi)
{
    if (lo >= hi)
        return 0;
    int p = __VERIFIER_nondet_int();
    if (p < lo || p >= hi)
        p = lo;
    int a = depth(lo, p), b = depth(p + 1, hi);
    return 1 + (a > b ? a : b);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100000)
        return 0;
    if (depth(0, n) > n)
        reach_error();
    return 0;
}
