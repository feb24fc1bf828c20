// Moving all elements by one keeps the sum.
// expect: safe
// engines: gps gps-lite cra
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000) return 0;
    int a[1000];
    long s = 0, t = 0;
    for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) s = s + a[i];
    int first = a[0];
    for (int i = 0; i < n - 1; i++) a[i] = a[i + 1];
    a[n - 1] = first;
    for (int i = 0; i < n; i++) t = t + a[i];
    if (s != t) reach_error();
    return 0;
}
