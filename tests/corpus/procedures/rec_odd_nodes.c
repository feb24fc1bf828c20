// A full binary tree has an odd number of nodes.
// expect: safe
// engines: gps recmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int nodes(int n)
{
    if (n <= 0 || __VERIFIER_nondet_int())
        return 1;
    return 1 + nodes(n - 1) + nodes(n - 2);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n > 20)
        return 0;
    if (nodes(n) % 2 == 0)
        reach_error();
    return 0;
}
