// One store at two offsets that share elements.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);
struct __attribute__((packed)) P{short v;};
struct E{unsigned char c[4];};
int main(void){ struct E*a=malloc(16); unsigned i=__VERIFIER_nondet_uint(); int k=__VERIFIER_nondet_int(); if(i>3) return 0;
 for(int j=0;j<4;j++){a[j].c[0]=0;a[j].c[1]=0;a[j].c[2]=0;a[j].c[3]=0;}
 struct P*p; if (k) p=(struct P*)&a[0].c[0]; else p=(struct P*)&a[0].c[1]; p->v=0x0505; if (a[i].c[1]==5 && k) reach_error(); return 0;}
