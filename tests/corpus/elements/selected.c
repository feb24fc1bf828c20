// Elements are selected into two arrays by loops of their own.
// expect: safe
// engines: gps gps-lite cra path-invariants
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int a[10000], b[10000], c[10000], m = 0, n = 0;
    for (int i = 0; i < 10000; i++) a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < 10000; i++) {
        if (a[i] > 7) b[m++] = a[i];
    }
    for (int i = 0; i < 10000; i++) {
        if (a[i] <= 7) c[n++] = a[i];
    }
    for (int i = 0; i < m; i++) {
        if (b[i] <= 7) reach_error();
    }
    return 0;
}
