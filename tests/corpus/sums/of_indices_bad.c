// The sum of the indices, off by n.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000) return 0;
    int a[1000];
    long sum = 0;
    for (int i = 0; i < n; i++) a[i] = i;
    for (int i = 0; i < n; i++) sum = sum + a[i];
    if (2 * sum != (long)n * n) reach_error();
    return 0;
}
