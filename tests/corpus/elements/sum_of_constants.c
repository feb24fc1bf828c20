// A sum of elements that an earlier loop has written.
// expect: safe
// engines: gps gps-lite impact cra bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000) return 0;
    int a[1000];
    int sum = 0;
    for (int i = 0; i < n; i++) a[i] = 2;
    for (int i = 0; i < n; i++) sum = sum + a[i];
    if (sum != 2 * n) reach_error();
    return 0;
}
