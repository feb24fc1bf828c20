// Each activation asks once before the call and once after it: 1 2 3 4 on the way in, 4 3 2 1 on the way out.
// expect: unsafe
// engines: kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int in;
static int f(int n)
{
    int before = __VERIFIER_nondet_int();
    if (before < 0 || before > 9)
        return 0;
    in = 10 * in + before;
    int r = 0;
    if (n > 0)
        r = f(n - 1);
    int after = __VERIFIER_nondet_int();
    if (after < 0 || after > 9)
        return 0;
    return 10 * r + after;
}

int main(void)
{
    int out = f(3);
    if (in == 1234 && out == 4321)
        reach_error();
    return 0;
}
