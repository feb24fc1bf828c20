// Recursion with an error behind it.
// expect: unsafe
// engines: bself bse kind bmc
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static int even(unsigned n) { return n == 0 ? 1 : n == 1 ? 0 : even(n - 2); }
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n > 40) return 0;
    if (even(n) && n > 37) reach_error();
    return 0;
}
