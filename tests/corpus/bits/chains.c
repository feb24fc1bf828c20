// The order of operands of a chain does not matter.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int all(int *a) {
    int result = a[0];
    for (int i = 1; i < 20; i++) result = result & a[i];
    return result;
}

static int parity(int *a) {
    int result = 0;
    for (int i = 0; i < 20; i++) result = result ^ a[i];
    return result;
}

int main(void) {
    int a[20];
    for (int i = 0; i < 20; i++) a[i] = __VERIFIER_nondet_int();
    int first = all(a), odd = parity(a), t = a[0];
    for (int i = 0; i < 19; i++) a[i] = a[i + 1];
    a[19] = t;
    if (all(a) != first || parity(a) != odd) reach_error();
    return 0;
}
