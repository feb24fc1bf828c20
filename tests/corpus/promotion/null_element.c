// Null is read from an array of pointers.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
int x;
int main(void){ int i, c=__VERIFIER_nondet_int(); int **tab=malloc(32);
 for(i=0;i<4;i++) tab[i]=0; 
 tab[1]=&x; *tab[1]=c;
 if (tab[0]==0 && x==c) reach_error(); return 0;}
