// No object has more bytes than a difference of pointers can tell: the allocation is refused.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void *malloc(unsigned long);
extern void reach_error(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
int main(void)
{
    unsigned long n = __VERIFIER_nondet_ulong();
    if (n != 0xfffffffffffffff0ul) return 0;
    char *p = malloc(n);
    if (!p) reach_error();
    return 0;
}
