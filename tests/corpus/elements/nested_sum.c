// Each element is summed up by a loop of its own.
// expect: safe
// engines: gps gps-lite impact cra bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000) return 0;
    int a[1000], b[1000];
    for (int i = 0; i < n; i++) a[i] = 2;
    for (int i = 0; i < n; i++) {
        b[i] = 5;
        for (int j = 0; j < n; j++) b[i] = b[i] + a[j];
    }
    for (int i = 0; i < n; i++) {
        if (b[i] != 2 * n + 5) reach_error();
    }
    return 0;
}
