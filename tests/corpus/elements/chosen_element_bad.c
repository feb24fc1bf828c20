// One element of 1,000 inputs, at an input.
// expect: unsafe
// engines: gps gps-lite
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int a[1000], k = __VERIFIER_nondet_int();
    for (int i = 0; i < 1000; i++) a[i] = __VERIFIER_nondet_int();
    if (k < 0 || k >= 1000) return 0;
    if (a[k] == 123456 && k > 700) reach_error();
    return 0;
}
