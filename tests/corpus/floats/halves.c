// Floating-point values: rounded up by the integer encoding.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) { int n = __VERIFIER_nondet_int(); double x = 0.5; if (n > 0) x = x + 1.0; if (x > 1.5) reach_error(); return 0; }
