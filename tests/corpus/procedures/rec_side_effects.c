// Arguments with side effects: the second one is evaluated after the first.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int g;
static int next(void) { return ++g; }
static int f(int a, int b)
{
    if (a >= 9)
        return b;
    int left = next();
    int right = next();
    return f(left, right);
}

int main(void)
{
    g = __VERIFIER_nondet_int();
    if (g < 0 || g > 5)
        return 0;
    if (f(0, 0) == 11)
        reach_error();
    return 0;
}
