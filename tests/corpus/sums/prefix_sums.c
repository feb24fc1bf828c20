// Prefix sums of constants.
// expect: safe
// engines: gps gps-lite impact cra bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000) return 0;
    long a[1000], b[1000];
    for (int i = 0; i < n; i++) a[i] = 2;
    b[0] = a[0];
    for (int i = 1; i < n; i++) b[i] = b[i - 1] + a[i];
    for (int i = 0; i < n; i++) {
        if (b[i] != 2 * i + 2) reach_error();
    }
    return 0;
}
