// The last sum keeps two bits of one half, which may be four.
// expect: unsafe
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

int main(void) {
    unsigned char x = __VERIFIER_nondet_uchar();
    int n = 0, m = 0;
    for (int i = 0; i < 8; i++) n += (x >> i) & 1;
    x = (x & 0x55) + ((x >> 1) & 0x55);
    x = (x & 0x33) + ((x >> 2) & 0x33);
    m = (x & 0x03) + (x >> 4);
    if (n != m) reach_error();
    return 0;
}
