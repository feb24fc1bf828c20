// One store at two offsets whose bytes overlap.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
struct __attribute__((packed)) S {short v;};
int main(void){ int c=__VERIFIER_nondet_int();
 unsigned char *b = malloc(4); b[0]=b[1]=b[2]=b[3]=0;
 struct S *p = (struct S*)(c ? b : b+1); p->v = 0x0303;
 if (b[1]==3 && c) reach_error(); return 0;}
