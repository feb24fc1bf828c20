// No object has more bytes than a difference of pointers can tell: the allocation is refused.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void *malloc(unsigned long);
extern void *realloc(void *, unsigned long);
extern void reach_error(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
int main(void)
{
    unsigned long n = __VERIFIER_nondet_ulong();
    int *q = malloc(4);
    if(!q) return 0;
    int *p = realloc(q, n);
    if (!p && n != 0) reach_error();
    return 0;
}
