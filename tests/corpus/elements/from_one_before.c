// Each element is made from the one before.
// expect: safe
// engines: gps gps-lite impact cra bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000) return 0;
    int a[1000];
    a[0] = 6;
    for (int i = 1; i < n; i++) a[i] = a[i - 1] + 6;
    for (int i = 0; i < n; i++) {
        if (a[i] != 6 * i + 6) reach_error();
    }
    return 0;
}
