// One place in the source, two activations.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int get(void) { return __VERIFIER_nondet_int(); }
int main(void) { int a = get(), b = get(); if (a == 1 && b == 2) reach_error(); return 0; }
