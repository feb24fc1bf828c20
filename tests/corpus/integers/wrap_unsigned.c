// Unsigned addition wraps around.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) { unsigned x = __VERIFIER_nondet_uint(); if (x + 1 < x) reach_error(); return 0; }
