// A product has the value 77.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    long long q = 0, r = x;
    if (x < 0 || y < 1) return 0;
    while (r >= y) { r -= y; q++; }
    if (q * y > 76 && q * y < 78) reach_error();
    return 0;
}
