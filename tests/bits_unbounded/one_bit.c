// expect: safe
// A ring counter has exactly one bit.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
    unsigned char ring = 1;
    while (__VERIFIER_nondet_uint()) {
        if (__VERIFIER_nondet_uint() & 1u) {
            ring = (unsigned char)((ring << 1) | (ring >> 7));
        } else {
            ring = (unsigned char)((ring >> 1) | (ring << 7));
        }
        if ((ring & (ring - 1)) != 0) { reach_error(); }
        if (ring == 0) { reach_error(); }
    }
    return 0;
}
