// Example EX-1 of the GPS paper (figure 1): a long path to the error.
// expect: unsafe
// engines: gps gps-lite
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), i = 0, min = 0;
    while (i < n) { min++; i++; }
    if (min < 1000) return 0;
    reach_error();
}
