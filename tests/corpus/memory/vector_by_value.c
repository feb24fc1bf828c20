// Functions take and return copies, so a is as before, and addition of small numbers commutes.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct vec {
    long x, y;
    int history[2];
};

static struct vec add(struct vec a, const struct vec *b)
{
    a.x += b->x;
    a.y += b->y;
    a.history[0] = a.history[1];
    a.history[1] = 1;
    return a;
}

int main(void)
{
    struct vec a = { __VERIFIER_nondet_int(), 3, { 7, 8 } };
    struct vec b = { __VERIFIER_nondet_int(), 4, { 9, 10 } };
    struct vec sum = add(a, &b), other = add(b, &a);
    if (sum.x != other.x || sum.y != 7 || a.history[0] != 7 || sum.history[0] != 8 || other.history[0] != 10)
        reach_error();
    return 0;
}
