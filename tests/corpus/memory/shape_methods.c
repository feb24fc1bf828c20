// Each shape is built with the function for its kind; areas are sums of the known ones.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct shape {
    int (*area)(const struct shape *);
    int a, b;
};

static int rectangle(const struct shape *s) { return s->a * s->b; }
static int square(const struct shape *s) { return s->a * s->a; }

int main(void)
{
    struct shape shapes[3] = { { rectangle, 2, 3 }, { square, 4, 0 }, { rectangle, 5, 1 } };
    int skip = __VERIFIER_nondet_int();
    int sum = 0;
    for (int i = 0; i < 3; i++)
        if (i != skip)
            sum += shapes[i].area(&shapes[i]);
    if (skip < 0 || skip > 2 ? sum != 27 : sum > 22 || sum < 11)
        reach_error();
    return 0;
}
