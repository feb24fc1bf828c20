// What is added element by element is subtracted again.
// expect: safe
// engines: gps gps-lite cra path-invariants tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000) return 0;
    int a[1000];
    long sum = 0;
    for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) sum = sum + a[i];
    for (int i = 0; i < n; i++) sum = sum - a[i];
    if (sum != 0) reach_error();
    return 0;
}
