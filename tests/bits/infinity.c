// What is larger than the largest number.
// expect: unsafe
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);

int main(void) {
    float x = __VERIFIER_nondet_float();
    if (x == x && x - x != x - x) reach_error();
    return 0;
}
