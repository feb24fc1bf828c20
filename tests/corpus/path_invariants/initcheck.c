// INITCHECK of figure 2 of Path Invariants, with one in the place of zero: globals of C start as zero.
// expect: safe
// engines: gps gps-lite impact cra path-invariants bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[100000];
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100000) return 0;
    int i;
    for (i = 0; i < n; i++) a[i] = 1;
    for (i = 0; i < n; i++) { if (a[i] != 1) reach_error(); }
    return 0;
}
