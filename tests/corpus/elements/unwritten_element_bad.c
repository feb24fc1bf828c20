// An element that is never written has any value.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int a[1000], b[1000];
    int k = __VERIFIER_nondet_int();
    if (k < 100 || k >= 900) return 0;
    for (int i = 0; i < 1000; i++) b[i] = a[i] + 1;
    if (b[k] == 42) reach_error();
    return 0;
}
