// A loop with two entries.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), n = 0;
    if (x > 0) goto inside;
again:
    n = n + 2;
inside:
    n = n + 2;
    if (n < 20) goto again;
    if (n % 2) reach_error();
    return 0;
}
