// expect: safe
// A filter with clamping keeps its state within bounds, and is never NaN.
extern float __VERIFIER_nondet_float(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    float state = 0.0f;
    while (__VERIFIER_nondet_int()) {
        float input = __VERIFIER_nondet_float();
        if (!(input >= -1.0f && input <= 1.0f)) { input = 0.0f; }
        state = 0.5f * state + input;
        if (state > 4.0f) { state = 4.0f; }
        if (state < -4.0f) { state = -4.0f; }
        if (!(state >= -4.0f && state <= 4.0f)) { reach_error(); }
    }
    return 0;
}
