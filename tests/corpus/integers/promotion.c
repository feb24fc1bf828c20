// Operands are promoted to int.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) { unsigned char a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); if (a + b > 510) reach_error(); return 0; }
