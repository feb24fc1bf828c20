// The range of a type.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) { signed char c = __VERIFIER_nondet_int(); if (c > 127 || c < -128) reach_error(); return 0; }
