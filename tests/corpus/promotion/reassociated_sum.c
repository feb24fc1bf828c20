// A sum of three indices whose parts overflow in another order.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void reach_error(void);
extern long __VERIFIER_nondet_long(void);
int a[4];
int main(void){ long i=__VERIFIER_nondet_long(), j=__VERIFIER_nondet_long(), k=__VERIFIER_nondet_long();
 int *p=a; 
 if (i < -4611686018427387904L*1 && j > 4611686018427387904L && k > 4611686018427387904L) {
  a[i+j+k] = 7; if (a[2]==7) reach_error(); } return 0;}
