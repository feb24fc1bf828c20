// expect: safe
// A word that is rotated and its copy that is rotated by two halves stay equal, whatever the amounts.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
    unsigned int x = __VERIFIER_nondet_uint();
    unsigned int y = x;
    while (__VERIFIER_nondet_uint()) {
        unsigned int by = __VERIFIER_nondet_uint() & 31u;
        x = (x << by) | (x >> ((32u - by) & 31u));
        y = (y << by) | (y >> ((32u - by) & 31u));
        if (x != y) { reach_error(); }
    }
    return 0;
}
