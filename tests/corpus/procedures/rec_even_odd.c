// Mutual tail recursion.
// expect: safe
// engines: gps gps-lite cra recmc path-invariants bself
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static int even(unsigned n);
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    if (even(n) != (n % 2 == 0))
        reach_error();
    return 0;
}
