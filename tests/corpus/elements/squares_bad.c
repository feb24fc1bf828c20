// As squares.c; one element was changed in between.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 4 || n > 1000) return 0;
    int a[1000], b[1000];
    for (int i = 0; i < n; i++) a[i] = i * i + n * i;
    a[3] = 0;
    for (int i = 0; i < n; i++) b[i] = a[i] - i * i;
    for (int i = 0; i < n; i++) {
        if (b[i] != n * i) reach_error();
    }
    return 0;
}
