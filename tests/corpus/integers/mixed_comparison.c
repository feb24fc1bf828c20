// A negative number is converted to unsigned.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) { int x = __VERIFIER_nondet_int(); unsigned y = 1; if (x < 0 && x > y) reach_error(); return 0; }
