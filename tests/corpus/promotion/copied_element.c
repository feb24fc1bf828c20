// A structure is copied from an element or from another object.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct S {int a,b;} arr[4], other, s;
int main(void){ int c=__VERIFIER_nondet_int(), i=__VERIFIER_nondet_int(); 
 arr[0].a=1; arr[1].a=1; other.a=2; struct S *p; if (c) p=&arr[i]; else p=&other;
 if (i!=0) return 0;
 s=*p; if (s.a==1) reach_error(); return 0;}
