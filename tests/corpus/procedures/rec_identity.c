// Linear recursion: what is returned is the number of activations.
// expect: safe
// engines: gps gps-lite cra recmc bself kind tracer-sp
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static unsigned id(unsigned x)
{
    if (x == 0)
        return 0;
    return id(x - 1) + 1;
}

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    if (id(x) != x)
        reach_error();
    return 0;
}
