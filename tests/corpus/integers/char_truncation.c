// A truncating conversion.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) { int x = __VERIFIER_nondet_int(); unsigned char c = x; if (x > 300 && c == 7) reach_error(); return 0; }
