// The carry is missed if both operands are equal.
// expect: unsafe
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
    unsigned s = x + y;
    s |= -(unsigned)(s < x && x != y);
    unsigned long long exact = (unsigned long long)x + y;
    if (s != (exact > 0xffffffffull ? 0xffffffffu : (unsigned)exact)) reach_error();
    return 0;
}
