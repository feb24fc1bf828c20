// The absolute value without a branch.
// expect: safe
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    unsigned mask = (unsigned)(x >> 31), a = ((unsigned)x ^ mask) - mask;
    if (a != (x < 0 ? 0u - (unsigned)x : (unsigned)x)) reach_error();
    return 0;
}
