// The inner loop has as many iterations as the index of the element says.
// expect: safe
// engines: gps gps-lite impact cra bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000) return 0;
    int a[1000];
    for (int i = 0; i < n; i++) {
        a[i] = 0;
        for (int j = 0; j <= i; j++) a[i] = a[i] + 3;
    }
    for (int i = 0; i < n; i++) {
        if (a[i] != 3 * i + 3) reach_error();
    }
    return 0;
}
