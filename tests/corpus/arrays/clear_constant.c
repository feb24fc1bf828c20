// All elements are zero.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    int a[4] = {0};
    unsigned i = __VERIFIER_nondet_uint();
    if (i < 4 && a[i] != 0) reach_error();
    return 0;
}
