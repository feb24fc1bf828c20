// PARTITION of figure 3 of Path Invariants: one conjunct of the invariant for each assertion.
// expect: safe
// engines: gps gps-lite impact cra path-invariants bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100000) return 0;
    int i, gelen = 0, ltlen = 0, ge[100000], lt[100000];
    for (i = 0; i < n; i++) {
        int v = __VERIFIER_nondet_int();
        if (v >= 0) { ge[gelen] = v; gelen++; }
        else { lt[ltlen] = v; ltlen++; }
    }
    for (i = 0; i < gelen; i++) { if (ge[i] < 0) reach_error(); }
    for (i = 0; i < ltlen; i++) { if (lt[i] >= 0) reach_error(); }
    return 0;
}
