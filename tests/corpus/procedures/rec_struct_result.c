// A recursion that returns a structure.
// expect: safe
// engines: gps gps-lite cra recmc path-invariants
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct span {
    int lo, hi;
};

static struct span span(int n)
{
    struct span r;
    if (n <= 0) {
        r.lo = 0;
        r.hi = 0;
        return r;
    }
    r = span(n - 1);
    r.hi++;
    if (__VERIFIER_nondet_int())
        r.lo++;
    return r;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000)
        return 0;
    struct span r = span(n);
    if (r.lo > r.hi || r.hi != n)
        reach_error();
    return 0;
}
