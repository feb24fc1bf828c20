// expect: safe
// Needs two iterations of the step: the error is two rounds behind what is wrong.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
    unsigned char a = 1, b = 2, c = 4;
    while (__VERIFIER_nondet_uint()) {
        if ((a ^ b) == 0) { reach_error(); }
        unsigned char t = a;
        a = b;
        b = c;
        c = t;
    }
    return 0;
}
