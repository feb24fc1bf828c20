// Example EX-2 of the GPS paper (figure 2): dead-end detection.
// expect: safe
// engines: gps gps-lite impact recmc path-invariants bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), r = 0;
    while (n > 0) { r = r + n; n--; }
    if (r == 2) reach_error();
    return 0;
}
