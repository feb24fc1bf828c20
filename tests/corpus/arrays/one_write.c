// A write and a read at two indices.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    int a[4] = {0};
    unsigned i = __VERIFIER_nondet_uint(), k = __VERIFIER_nondet_uint();
    if (i < 4 && k < 4) { a[k] = 5; if (a[i] == 5) reach_error(); }
    return 0;
}
