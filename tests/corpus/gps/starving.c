// One branch is a loop without end; the error is in the other one.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (x > 0) {
        while (1) { y = __VERIFIER_nondet_int(); if (y % 1000 * (x % 1000) == 77) y = 0; }
    } else {
        int n = 0;
        while (n < 5) { n++; if (__VERIFIER_nondet_int() == n) { if (n == 4) reach_error(); } else return 0; }
    }
    return 0;
}
