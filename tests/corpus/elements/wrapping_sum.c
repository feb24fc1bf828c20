// The sum of large elements wraps around.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bse kind bmc
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n < 1 || n > 8) return 0;
    unsigned a[8];
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++) a[i] = 2000000000u;
    for (unsigned i = 0; i < n; i++) sum = sum + a[i];
    if (sum < a[0]) reach_error();
    return 0;
}
