// expect: safe
// Swapping without a temporary keeps the exclusive disjunction of two words.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
    unsigned int a = 0x1234u, b = 0xABCDu;
    while (__VERIFIER_nondet_uint()) {
        a ^= b;
        b ^= a;
        a ^= b;
        unsigned int mask = __VERIFIER_nondet_uint();
        a ^= mask;
        b ^= mask;
        if ((a ^ b) != (0x1234u ^ 0xABCDu)) { reach_error(); }
    }
    return 0;
}
