// As gray.c, with a step too few.
// expect: unsafe
extern unsigned short __VERIFIER_nondet_ushort(void);
extern void reach_error(void);

int main(void) {
    unsigned short x = __VERIFIER_nondet_ushort();
    unsigned short g = x ^ (x >> 1), b = g;
    b ^= b >> 1; b ^= b >> 2; b ^= b >> 4;
    if (b != x) reach_error();
    return 0;
}
