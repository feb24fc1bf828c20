// The address of a local variable is passed down: memory is written in the recursion.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void put(int n, int *out)
{
    int mine = n;
    if (n > 0)
        put(n - 1, &mine);
    *out = mine;
}

int main(void)
{
    int n = __VERIFIER_nondet_int(), r = 7;
    if (n < 0)
        return 0;
    put(n, &r);
    if (r != 0)
        reach_error();
    return 0;
}
