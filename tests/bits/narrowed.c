// A double that is made a float and back is no more than the next float away.
// expect: safe
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);

int main(void) {
    double x = __VERIFIER_nondet_double();
    if (!(x >= 1.0 && x <= 2.0)) return 0;
    float y = (float)x;
    double d = x - (double)y;
    if (d > 1e-7 || d < -1e-7) reach_error();
    return 0;
}
