// A difference of large indices, scaled.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern long __VERIFIER_nondet_long(void);
struct S {int b[4];} a[4];
int main(void){ long i=__VERIFIER_nondet_long(), j=__VERIFIER_nondet_long(); int k=__VERIFIER_nondet_int(); struct S *p=a;
 if (j > 4611686018427387904L) {
  p[i-j].b[k] = 7; if (a[1].b[1]==7) reach_error(); } return 0;}
