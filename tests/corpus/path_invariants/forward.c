// FORWARD of figure 1 of Path Invariants: a relation between the counter and two sums.
// expect: safe
// engines: gps gps-lite cra recmc path-invariants bself tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000000) return 0;
    int i = 0, a = 0, b = 0;
    while (i < n) {
        if (__VERIFIER_nondet_int()) { a = a + 1; b = b + 2; }
        else { a = a + 2; b = b + 1; }
        i++;
    }
    if (a + b != 3 * n) reach_error();
    return 0;
}
