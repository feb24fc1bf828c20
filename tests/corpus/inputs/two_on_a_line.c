// Two inputs on one line.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); if (a == 3 && b == 5 && a != b) reach_error(); return 0; }
