// A recursion without base case: what follows it is not reached.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static int f(unsigned n) { return f(n + 1) + 1; }

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    f(n);
    reach_error();
    return 0;
}
