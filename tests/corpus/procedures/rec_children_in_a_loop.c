// Calls in a loop: the number of nodes of a binomial tree is at least its degree.
// expect: safe
// engines: none
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int nodes(int n)
{
    int s = 1;
    for (int i = 0; i < n; i++)
        s += nodes(i);
    return s;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 30)
        return 0;
    if (nodes(n) < n + 1)
        reach_error();
    return 0;
}
