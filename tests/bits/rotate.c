// Rotations by a variable amount and back.
// expect: safe
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), n = __VERIFIER_nondet_uint() & 31;
    unsigned r = (x << n) | (x >> ((32 - n) & 31));
    unsigned b = (r >> n) | (r << ((32 - n) & 31));
    if (b != x) reach_error();
    return 0;
}
