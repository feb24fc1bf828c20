// Input: 1 2 3 -4 (the filter stops at the first negative element, the counter is one short).
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct counter {
    int seen;
    int positive;
};

static int check(int x, void *data)
{
    struct counter *c = data;
    if (x < 0)
        return 0;
    c->seen++;
    c->positive += x > 0;
    return 1;
}

static void each(const int *a, unsigned long n, int (*f)(int, void *), void *data)
{
    const int *p = a;
    while (n-- > 0 && f(*p, data))
        p++;
}

int main(void)
{
    int a[4];
    for (int i = 0; i < 4; i++)
        a[i] = __VERIFIER_nondet_int();
    struct counter c = { 0, 0 };
    each(a, 4, check, &c);
    if (c.seen != 4)
        reach_error();
    return 0;
}
