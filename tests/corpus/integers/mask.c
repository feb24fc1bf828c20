// A mask with a power of two.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) { unsigned x = __VERIFIER_nondet_uint(); if ((x & 15) > 15) reach_error(); return 0; }
