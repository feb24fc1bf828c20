// A nest whose inner loop has a constant bound.
// expect: safe
// engines: bself bmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), s = 0;
    if (n < 0 || n > 100) return 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) s++;
    if (s != 3 * n) reach_error();
    return 0;
}
