// expect: safe
// Two implementations of a CRC-8 step agree on every message.
extern unsigned char __VERIFIER_nondet_uchar(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    unsigned char bitwise = 0, masked = 0;
    while (__VERIFIER_nondet_int()) {
        unsigned char bit = __VERIFIER_nondet_uchar() & 1;
        unsigned char top = (unsigned char)((bitwise >> 7) ^ bit);
        bitwise = (unsigned char)(bitwise << 1);
        if (top) { bitwise ^= 0x07; }
        unsigned char mask = (unsigned char)-((masked >> 7) ^ bit);
        masked = (unsigned char)((masked << 1) ^ (mask & 0x07));
        if (bitwise != masked) { reach_error(); }
    }
    return 0;
}
