// One element of 1,000 that are copied.
// expect: unsafe
// engines: gps
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int a[1000], b[1000];
    for (int i = 0; i < 1000; i++) { a[i] = __VERIFIER_nondet_int(); }
    for (int i = 0; i < 1000; i++) { b[i] = a[i]; }
    for (int i = 0; i < 1000; i++)
        if (i > 900 && b[i] == 4711) reach_error();
    return 0;
}
