// A number is taken apart by a power of two that falls in another loop than it rises in; it may wrap around to zero.
// expect: safe
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), power = 1, digits = 0, rest = n;
    while (rest >= power) power = 2 * power;
    while (power != 1) {
        if (n != digits * power + rest) reach_error();
        digits = 2 * digits;
        power = power / 2;
        if (rest >= power) {
            digits = digits + 1;
            rest = rest - power;
        }
    }
    return 0;
}
