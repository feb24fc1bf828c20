// Of numbers, exactly one of less, equal and greater holds.
// expect: safe
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);

int main(void) {
    float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float();
    if (x != x || y != y) return 0;
    if ((x < y) + (x == y) + (x > y) != 1) reach_error();
    return 0;
}
