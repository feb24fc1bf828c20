// A sentinel that is no address.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
/* tombstone in a hash table, never dereferenced without a check */
struct s {long a;}; struct s pool[8];
int main(void){ struct s *t[2]; struct s **tp=t; unsigned i=__VERIFIER_nondet_uint(); int c=__VERIFIER_nondet_int(); if(i>7) return 0;
 t[0]=&pool[i]; t[1]=&pool[0]; if(c) tp[c!=0]=(struct s*)1; 
 if (c) { if (t[1]) reach_error(); } return 0;}
