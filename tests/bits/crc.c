// CRC-8 of a byte is linear.
// expect: safe
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

static unsigned char crc(unsigned char x) {
    for (int i = 0; i < 8; i++) x = (unsigned char)((x << 1) ^ ((x & 0x80) ? 0x07 : 0));
    return x;
}
int main(void) {
    unsigned char x = __VERIFIER_nondet_uchar(), y = __VERIFIER_nondet_uchar();
    if (crc(x ^ y) != (unsigned char)(crc(x) ^ crc(y))) reach_error();
    return 0;
}
