// A sort that compares the wrong way round: most contents show it.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int a[2000];
    for (int i = 0; i < 2000; i++) a[i] = __VERIFIER_nondet_int();
    for (int swapped = 1; swapped;) {
        swapped = 0;
        for (int i = 1; i < 2000; i++) {
            if (a[i] > a[i - 1]) {
                int t = a[i];
                a[i] = a[i - 1];
                a[i - 1] = t;
                swapped = 1;
            }
        }
    }
    for (int i = 1; i < 2000; i++) {
        if (a[i - 1] > a[i]) reach_error();
    }
    return 0;
}
