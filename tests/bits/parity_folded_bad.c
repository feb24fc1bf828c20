// One fold is missing.
// expect: unsafe
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern void reach_error(void);

int main(void) {
    unsigned long long x = __VERIFIER_nondet_ulonglong(), y = x;
    unsigned p = 0;
    for (int i = 0; i < 64; i++) p ^= (unsigned)(x >> i) & 1u;
    y ^= y >> 32; y ^= y >> 16; y ^= y >> 4; y ^= y >> 2; y ^= y >> 1;
    if ((y & 1) != p) reach_error();
    return 0;
}
