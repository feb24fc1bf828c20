// Input: 256 (the low byte of 256 is 0).
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int is_zero(const int *number)
{
    const char *p = (const char *)number;
    return p[0] == 0;
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (is_zero(&x) && x != 0)
        reach_error();
    return 0;
}
