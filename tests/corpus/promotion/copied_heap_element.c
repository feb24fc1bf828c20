// The same on the heap.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);
struct S {int a,b;};
int main(void){ int c=__VERIFIER_nondet_int(); unsigned i=__VERIFIER_nondet_uint(); struct S other,s; struct S*arr=malloc(4*sizeof(struct S));
 arr[0].a=1; arr[1].a=1; other.a=2; other.b=2; struct S *p; if (c) p=arr+i; else p=&other;
 if (i>1) return 0; s=*p; if (s.a!=2) reach_error(); return 0;}
