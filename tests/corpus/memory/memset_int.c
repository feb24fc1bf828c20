// Input: 2 (memset sets bytes: each int becomes 0x01010101).
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void *memset(void *, int, unsigned long);

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int ones[4];
    int k = __VERIFIER_nondet_int();
    if (k < 0 || k > 3)
        return 0;
    memset(ones, 1, sizeof ones);
    if (ones[k] != 1)
        reach_error();
    return 0;
}
