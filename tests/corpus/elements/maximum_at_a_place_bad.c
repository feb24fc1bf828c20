// The maximum is at one place of 5,000.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int a[5000], m;
    for (int i = 0; i < 5000; i++) a[i] = __VERIFIER_nondet_int();
    m = a[0];
    for (int i = 1; i < 5000; i++) if (a[i] > m) m = a[i];
    for (int i = 0; i < 5000; i++)
        if (a[i] > 1000 && a[i] == m && i == 4321) reach_error();
    return 0;
}
