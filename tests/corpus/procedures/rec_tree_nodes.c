// The exact number of nodes of any binary tree.
// expect: safe
// engines: gps recmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int nodes(int n)
{
    if (n <= 0)
        return 0;
    int left = __VERIFIER_nondet_int();
    if (left < 0 || left >= n)
        left = 0;
    return 1 + nodes(left) + nodes(n - 1 - left);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        return 0;
    if (nodes(n) != n)
        reach_error();
    return 0;
}
