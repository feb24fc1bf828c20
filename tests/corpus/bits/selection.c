// A minimum without branch, and the absolute value by the sign.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (x < -1000000) abort();
    int least = y ^ ((x ^ y) & -(x < y));
    if (least > x || least > y) reach_error();
    int sign = x >> 31, size = (x + sign) ^ sign;
    if (size < 0 || size != x && size != -x) reach_error();
    return 0;
}
