// A number that is not equal to itself.
// expect: unsafe
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);

int main(void) {
    double x = __VERIFIER_nondet_double();
    if (x != x) reach_error();
    return 0;
}
