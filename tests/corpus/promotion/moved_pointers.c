// Pointers are moved within their array.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *memmove(void*,const void*,unsigned long);
int x;
struct T {int *t[4];} tab;
int main(void){ int c=__VERIFIER_nondet_int(); tab.t[0]=&x; tab.t[1]=0; tab.t[2]=0; tab.t[3]=0;
 memmove(&tab.t[1],&tab.t[0],24); *tab.t[1]=c; if (x==5) reach_error(); return 0;}
