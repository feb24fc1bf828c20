// Bits of 64 are counted by clearing the lowest one, and in parallel.
// expect: safe
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern void reach_error(void);

int main(void) {
    unsigned long long x = __VERIFIER_nondet_ulonglong() & 0xff000000000000ffull, y = x;
    unsigned n = 0;
    while (y) { y &= y - 1; n++; }
    x = x - ((x >> 1) & 0x5555555555555555ull);
    x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
    if ((x * 0x0101010101010101ull) >> 56 != n) reach_error();
    return 0;
}
