// Integers of 32 bits are not exact in single precision.
// expect: unsafe
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x < 0 || x > 20000000) return 0;
    float y = (float)x;
    if ((int)y != x) reach_error();
    return 0;
}
