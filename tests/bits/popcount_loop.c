// Counting bits by clearing the lowest one, and by adding fields.
// expect: safe
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), y = x, n = 0;
    while (y) { y &= y - 1; n++; }
    x = x - ((x >> 1) & 0x55555555u);
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    if ((x * 0x01010101u) >> 24 != n) reach_error();
    return 0;
}
