// One mask lacks a byte.
// expect: unsafe
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern void reach_error(void);

int main(void) {
    unsigned long long x = __VERIFIER_nondet_ulonglong(), r = 0, y = x;
    for (int i = 0; i < 8; i++) { r = (r << 8) | (x & 0xff); x >>= 8; }
    y = ((y & 0x00ff00ff00ff00ffull) << 8) | ((y >> 8) & 0x00ff00ff00ff00ffull);
    y = ((y & 0x000000ff0000ffffull) << 16) | ((y >> 16) & 0x0000ffff0000ffffull);
    y = (y << 32) | (y >> 32);
    if (r != y) reach_error();
    return 0;
}
