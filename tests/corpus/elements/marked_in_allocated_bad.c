// One element of an array whose length is an input.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

extern void *malloc(unsigned long);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n < 2000 || n > 100000) return 0;
    int *a = malloc(n * sizeof(int));
    if (!a) return 0;
    for (unsigned i = 0; i < n; i++) a[i] = 0;
    unsigned k = __VERIFIER_nondet_uint();
    if (k >= n) return 0;
    a[k] = 1;
    if (a[1999] == 1) reach_error();
    return 0;
}
