// Starts one bit too low.
// expect: unsafe
extern unsigned short __VERIFIER_nondet_ushort(void);
extern void reach_error(void);

int main(void) {
    unsigned short x = __VERIFIER_nondet_ushort();
    unsigned r = 0;
    for (unsigned bit = 1u << 6; bit != 0; bit >>= 1)
        if ((r | bit) * (r | bit) <= x) r |= bit;
    if (r * r > x || (r + 1) * (r + 1) <= x) reach_error();
    return 0;
}
