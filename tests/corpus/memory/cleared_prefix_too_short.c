// As many bytes as an input says are cleared, and one less than is asked for.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void *memset(void *, int, unsigned long);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    char line[8];
    unsigned n = __VERIFIER_nondet_uint(), k = __VERIFIER_nondet_uint();
    if (n > 8 || k >= 8)
        return 0;
    memset(line, 1, 8);
    memset(line, 2, n);
    if (line[k] != (k <= n ? 2 : 1))
        reach_error();
    return 0;
}
