// Two inputs in one macro.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

#define PAIR(a, b) int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int()
int main(void) { PAIR(x, y); if (x == y + 1 && y == 10) reach_error(); return 0; }
