// Two loops with one step.
// expect: safe
// engines: gps gps-lite cra bmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int(), b = 0, i = 0, c = 0, j = 0;
    if (a < 1 || a > 99 || n > 99) return 0;
    while (b < n) { b += a; i++; }
    while (c < n) { c += a; j++; }
    if (i != j) reach_error();
    return 0;
}
