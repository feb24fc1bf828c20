// The index of the element that is changed decides.
// expect: unsafe
// engines: gps
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 500 || n > 1000) return 0;
    int a[1000];
    for (int i = 0; i < n; i++) a[i] = 2 * i;
    int k = __VERIFIER_nondet_int();
    if (k < 0 || k >= n) return 0;
    a[k] = a[k] + 7;
    for (int i = 0; i < n; i++)
        if (a[i] == 807) reach_error();
    return 0;
}
