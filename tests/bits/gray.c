// Gray code and back; neighbours differ in one bit.
// expect: safe
extern unsigned short __VERIFIER_nondet_ushort(void);
extern void reach_error(void);

int main(void) {
    unsigned short x = __VERIFIER_nondet_ushort();
    unsigned short g = x ^ (x >> 1), b = g;
    b ^= b >> 1; b ^= b >> 2; b ^= b >> 4; b ^= b >> 8;
    unsigned short next = x + 1, h = next ^ (next >> 1), d = g ^ h;
    if (b != x || d == 0 || (d & (d - 1)) != 0) reach_error();
    return 0;
}
