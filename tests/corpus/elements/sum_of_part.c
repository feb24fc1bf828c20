// The loop that sums up starts where another one has written, and one element was changed in between.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bse kind bmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 5 || n > 1000) return 0;
    int a[1000];
    int sum = 0;
    for (int i = 0; i < n; i++) a[i] = 1;
    a[3] = 2;
    for (int i = 0; i < n; i++) sum = sum + a[i];
    if (sum != n) reach_error();
    return 0;
}
