// The second loop goes one too far.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), i = 0, j = 0;
    if (n > 1000) return 0;
    while (i < n) i++;
    while (j <= i) j++;
    if (j != n) reach_error();
    return 0;
}
