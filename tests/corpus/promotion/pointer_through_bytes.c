// A pointer goes through characters.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void *memcpy(void*,const void*,unsigned long);
int main(void){ int x=0; int *p=&x; int *q; char buf[24], buf2[24]; unsigned i=__VERIFIER_nondet_uint(); int **pp=&p, **qq=&q;
 if (i>8) return 0;
 memcpy(buf+i,pp,8); for(int k=0;k<24;k++) buf2[k]=buf[k]; memcpy(qq,buf2+i,8);
 *q=1; if (x==1) reach_error(); return 0;}
