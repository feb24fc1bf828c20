// The second pass over the array writes some elements twice: what the first one wrote is not known of them.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bse bmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000) return 0;
    int a[1000];
    int sum = 0;
    for (int i = 0; i < n; i++) a[i] = 1;
    for (int i = 0; i < n; i++) a[i / 2] = 2;
    for (int i = 0; i < n; i++) sum = sum + a[i];
    if (sum > n + 1) reach_error();
    return 0;
}
