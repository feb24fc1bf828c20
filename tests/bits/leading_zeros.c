// Leading zeros by binary search, and one after the other.
// expect: safe
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), y = x;
    int n = 0, m = 0;
    if (x == 0) return 0;
    if (y <= 0x0000ffffu) { n += 16; y <<= 16; }
    if (y <= 0x00ffffffu) { n += 8; y <<= 8; }
    if (y <= 0x0fffffffu) { n += 4; y <<= 4; }
    if (y <= 0x3fffffffu) { n += 2; y <<= 2; }
    if (y <= 0x7fffffffu) n += 1;
    while (!(x & 0x80000000u)) { x <<= 1; m++; }
    if (n != m) reach_error();
    return 0;
}
