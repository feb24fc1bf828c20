// Addition, multiplication and so on by one recursion: the first rows are linear.
// expect: safe
// engines: gps recmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int hyper(int k, int n)
{
    if (k == 0)
        return n + 2;
    if (n == 0)
        return k == 1 ? 0 : 1;
    return hyper(k - 1, hyper(k, n - 1));
}

int main(void)
{
    int n = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000 || k < 0 || k > 1)
        return 0;
    if (hyper(k, n) != (k == 0 ? n + 2 : 2 * n))
        reach_error();
    return 0;
}
