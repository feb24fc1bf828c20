// The mean of two words without overflow.
// expect: safe
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    unsigned m = (a & b) + ((a ^ b) >> 1);
    if (m != (unsigned)(((unsigned long long)a + b) / 2)) reach_error();
    return 0;
}
