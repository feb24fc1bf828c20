// A pointer that is a small number is not null.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct s {long a;} arr[4];
int main(void){ int c=__VERIFIER_nondet_int(); int i=__VERIFIER_nondet_int();
 struct s *p; if (c) p=&arr[i]; else p=(struct s*)1;
 if (!c) { if (p != (struct s*)0) reach_error(); } return 0;}
