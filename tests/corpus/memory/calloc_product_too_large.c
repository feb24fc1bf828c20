// No object has more bytes than a difference of pointers can tell: the allocation is refused.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp explicit
extern void *calloc(unsigned long, unsigned long);
extern void reach_error(void);
int main(void)
{
    unsigned long n = ~0ul;
    char *p = calloc(n, 2);
    if (p) return 0;
    reach_error();
    return 0;
}
