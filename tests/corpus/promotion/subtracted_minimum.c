// An index from which the least number is subtracted.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void reach_error(void);
extern long __VERIFIER_nondet_long(void);
int a[4];
int main(void){ long i=__VERIFIER_nondet_long(), j=__VERIFIER_nondet_long(); int *p=a;
 if (i < 0 && j < -9223372036854775807L) {
  p[i-j] = 7; if (a[1]==7) reach_error(); } return 0;}
