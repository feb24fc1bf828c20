/* Holds for every input, by a loop invariant. */
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), i = 0, even = 0;
    while (i < n && i < 1000000) {
        i++;
        even = 1 - even;
        if (!(even <= 1)) { reach_error(); }
    }
    if (!(i <= 1000000)) { reach_error(); }
    return 0;
}
