// Counting the bits of a byte one after the other, and by fields.
// expect: safe
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

int main(void) {
    unsigned char x = __VERIFIER_nondet_uchar();
    int n = 0, m = 0;
    for (int i = 0; i < 8; i++) n += (x >> i) & 1;
    x = (x & 0x55) + ((x >> 1) & 0x55);
    x = (x & 0x33) + ((x >> 2) & 0x33);
    m = (x & 0x0f) + (x >> 4);
    if (n != m) reach_error();
    return 0;
}
