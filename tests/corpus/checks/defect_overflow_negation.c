// The absolute value of the least number does not fit.
// expect: unsafe signed-overflow 6
// decided: yes
extern int __VERIFIER_nondet_int(void);

static int absolute(int x) { return x < 0 ? -x : x; }
int main(void) { return absolute(__VERIFIER_nondet_int()) < 0; }
