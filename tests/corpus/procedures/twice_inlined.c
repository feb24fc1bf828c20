// One procedure, called twice.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int clamp(int x) { return x < 0 ? 0 : x > 10 ? 10 : x; }
int main(void) {
    int a = clamp(__VERIFIER_nondet_int()), b = clamp(__VERIFIER_nondet_int());
    if (a + b > 20) reach_error();
    return 0;
}
