// Mutual linear recursion with a bound on what is returned.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind tracer tracer-sp
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static unsigned pong(unsigned x);
static unsigned ping(unsigned x)
{
    if (x == 0)
        return 0;
    unsigned r = pong(x - 1) + 1;
    return r > 3 ? 3 : r;
}
static unsigned pong(unsigned x)
{
    if (x == 0)
        return 0;
    unsigned r = ping(x - 1) + 1;
    return r > 4 ? 4 : r;
}

int main(void)
{
    if (ping(__VERIFIER_nondet_uint()) > 3)
        reach_error();
    return 0;
}
