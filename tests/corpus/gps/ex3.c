// Example EX-3 of the GPS paper (figure 3): dead-end interpolation, x is even.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int(), x = 2;
    while (n-- > 0) x = 2 * x;
    while (m-- > 0) x = x - 2;
    if (x == 1) reach_error();
    return 0;
}
