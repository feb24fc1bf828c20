// Input: 3 8 (both results are in the same static object).
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct range {
    int low, high;
};

static const struct range *around(int centre)
{
    static struct range r;
    r.low = centre - 1;
    r.high = centre + 1;
    return &r;
}

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < 0 || a > 100 || b < 0 || b > 100)
        return 0;
    const struct range *x = around(a);
    const struct range *y = around(b);
    if (y->low != b - 1)
        return 1;
    if (x->low != a - 1)
        reach_error();
    return 0;
}
