// Division rounds towards zero.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) { int x = __VERIFIER_nondet_int(); if (x <= -4 || x >= 4) return 0; if (x / 4 != 0) reach_error(); return 0; }
