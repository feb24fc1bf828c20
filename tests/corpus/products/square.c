// The sum of odd numbers is a square.
// expect: safe
// engines: gps bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), s = 0, i = 0;
    if (n < 0 || n > 100) return 0;
    while (i < n) { s = s + 2 * i + 1; i++; }
    if (s != n * n) reach_error();
    return 0;
}
