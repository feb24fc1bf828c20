// The element that changes need not count.
// expect: unsafe
// engines: none
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000) return 0;
    int a[1000];
    long s = 0, t = 0;
    for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) s = s + a[i];
    a[2] = 7;
    for (int i = 0; i < n; i++) t = t + a[i];
    if (t != s) reach_error();
    return 0;
}
