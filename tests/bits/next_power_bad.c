// As next_power.c, without the last step.
// expect: unsafe
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    if (x == 0 || x > 0x80000000u) return 0;
    unsigned v = x - 1;
    v |= v >> 1; v |= v >> 2; v |= v >> 4; v |= v >> 8;
    v++;
    if (v < x || (v & (v - 1)) != 0) reach_error();
    return 0;
}
