// Two results through pointers to local variables, of which an input is the innermost one.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void walk(int n, int *sum, int *depth)
{
    int inner, below = 0;
    if (n <= 0) {
        *sum = __VERIFIER_nondet_int();
        return;
    }
    walk(n - 1, &inner, &below);
    *depth = below + 1;
    if (inner < 1000)
        inner = inner + n;
    *sum = inner;
}

int main(void)
{
    int sum, depth = 0;
    walk(5, &sum, &depth);
    if (depth == 5 && sum == 100)
        reach_error();
    return 0;
}
