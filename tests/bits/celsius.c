// Degrees Fahrenheit of a range of degrees Celsius.
// expect: safe
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int c = __VERIFIER_nondet_int();
    if (c < -50 || c > 50) return 0;
    double f = c * 1.8 + 32.0;
    if (f < -58.5 || f > 122.5) reach_error();
    return 0;
}
