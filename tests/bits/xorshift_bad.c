// The inverse of the last step is incomplete.
// expect: unsafe
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), y = x;
    y ^= y << 13; y ^= y >> 17; y ^= y << 5;
    y ^= y << 5; y ^= y << 10;
    y ^= y >> 17;
    y ^= y << 13; y ^= y << 26;
    if (y != x) reach_error();
    return 0;
}
