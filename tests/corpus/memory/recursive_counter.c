// Every level of the recursion adds 1 to the counter of the caller.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void descend(int depth, int *calls)
{
    ++*calls;
    if (depth > 0)
        descend(depth - 1, calls);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int calls = 0;
    if (n < 0 || n > 10)
        return 0;
    descend(n, &calls);
    if (calls != n + 1)
        reach_error();
    return 0;
}
