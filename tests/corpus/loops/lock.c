// The lock is held when the loop ends.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int lock = 0, i;
    do { lock = 1; i = __VERIFIER_nondet_int(); if (i) lock = 0; } while (i);
    if (lock == 0) reach_error();
    return 0;
}
