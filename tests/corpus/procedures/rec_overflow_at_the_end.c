// The sum overflows before the error: the execution is not considered beyond that.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int grow(int n)
{
    if (n <= 0)
        return 1;
    return 2 * grow(n - 1);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n > 30 && grow(n) < 2)
        reach_error();
    return 0;
}
