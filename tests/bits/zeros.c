// The zeros are equal, their reciprocals are not.
// expect: safe
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);

int main(void) {
    double x = __VERIFIER_nondet_double();
    if (x == 0.0) {
        double y = 1.0 / x;
        if (y == -y) reach_error();
        if (!(y > 1e300 || y < -1e300)) reach_error();
    }
    return 0;
}
