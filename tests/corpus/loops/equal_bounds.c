// Two loops with one bound.
// expect: safe
// engines: gps gps-lite cra recmc path-invariants bself kind tracer tracer-sp
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), i = 0, j = 0;
    if (n > 1000) return 0;
    while (i < n) i++;
    while (j < i) j++;
    if (j != n) reach_error();
    return 0;
}
