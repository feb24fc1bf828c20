// Inputs in all activations; the sum of small ones is bounded by their number.
// expect: safe
// engines: gps gps-lite cra path-invariants
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int sum(int n)
{
    if (n <= 0)
        return 0;
    int x = __VERIFIER_nondet_int();
    int r = sum(n - 1);
    if (x < 0 || x > 3)
        x = 0;
    return r + x;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000)
        return 0;
    if (sum(n) > 3 * n)
        reach_error();
    return 0;
}
