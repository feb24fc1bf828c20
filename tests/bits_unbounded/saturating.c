// expect: safe
// A saturating sum of unsigned numbers never becomes smaller.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
    unsigned int sum = 0, last = 0;
    while (__VERIFIER_nondet_uint()) {
        unsigned int x = __VERIFIER_nondet_uint();
        last = sum;
        sum = sum + x;
        sum |= -(unsigned int)(sum < x);
        if (sum < last) { reach_error(); }
    }
    return 0;
}
