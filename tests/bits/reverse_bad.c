// As reverse.c, with one bit too few.
// expect: unsafe
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static unsigned reverse(unsigned x) {
    unsigned r = 0;
    for (int i = 0; i < 31; i++) { r = (r << 1) | (x & 1); x >>= 1; }
    return r;
}
int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    if (reverse(reverse(x)) != x) reach_error();
    return 0;
}
