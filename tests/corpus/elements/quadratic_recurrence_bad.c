// As quadratic_recurrence.c; the closed form is wrong from the third element on.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bse bmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000) return 0;
    int a[1000], b[1000];
    a[0] = 4;
    b[0] = 3;
    for (int i = 1; i < n; i++) a[i] = a[i - 1] + 4;
    for (int i = 1; i < n; i++) b[i] = b[i - 1] + a[i];
    for (int i = 0; i < n; i++) {
        if (b[i] != 3 * i * i + 5 * i + 3) reach_error();
    }
    return 0;
}
