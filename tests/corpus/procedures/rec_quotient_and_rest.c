// Two results in global variables.
// expect: safe
// engines: gps recmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int q, r;
static void divide(int n, int d)
{
    if (n < d) {
        q = 0;
        r = n;
        return;
    }
    divide(n - 5, d);
    if (n > 100) {
        divide(n - 5, d);
    }
    q = q + 1;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100000)
        return 0;
    divide(n, 5);
    if (5 * q + r != n)
        reach_error();
    return 0;
}
