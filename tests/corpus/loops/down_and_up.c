// Moves a number back and forth.
// expect: safe
// engines: gps gps-lite cra recmc path-invariants tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), k = 0;
    if (n < 0 || n > 1000) return 0;
    int m = n;
    while (m > 0) { m--; k++; }
    while (k > 0) { k--; m++; }
    if (m != n) reach_error();
    return 0;
}
