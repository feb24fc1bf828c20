// Squares of the index are stored and used in later loops.
// expect: safe
// engines: gps gps-lite impact cra bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000) return 0;
    int a[1000], b[1000];
    for (int i = 0; i < n; i++) a[i] = i * i + n * i;
    for (int i = 0; i < n; i++) b[i] = a[i] - i * i;
    for (int i = 0; i < n; i++) {
        if (b[i] != n * i) reach_error();
    }
    return 0;
}
