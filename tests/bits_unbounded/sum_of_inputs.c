// expect: safe
// A sum of numbers between -1 and 1 is between the number of summands and its negation.
extern float __VERIFIER_nondet_float(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    float sum = 0.0f, count = 0.0f;
    while (__VERIFIER_nondet_int()) {
        float input = __VERIFIER_nondet_float();
        if (!(input >= -1.0f && input <= 1.0f)) { continue; }
        sum += input;
        count += 1.0f;
    }
    if (!(sum <= count && -count <= sum)) { reach_error(); }
    return 0;
}
