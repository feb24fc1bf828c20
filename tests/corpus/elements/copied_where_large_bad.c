// Two conditions on one element that is never written.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int a[1000], b[1000];
    int k = __VERIFIER_nondet_int();
    for (int i = 0; i < 1000; i++) b[i] = 0;
    if (k < 0 || k >= 1000) return 0;
    for (int i = 0; i < 1000; i++) if (a[i] > 500 && i == k) b[i] = a[i];
    for (int i = 0; i < 1000; i++)
        if (b[i] == 501 && i == 600) reach_error();
    return 0;
}
