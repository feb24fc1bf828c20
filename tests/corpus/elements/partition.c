// Two arrays get the elements on either side of zero: the indices stay where they are in some iterations.
// expect: safe
// engines: gps gps-lite impact cra path-invariants bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000) return 0;
    int up[1000], down[1000];
    int g = 0, l = 0;
    for (int i = 0; i < n; i++) {
        int v = __VERIFIER_nondet_int();
        if (v >= 0) up[g++] = v;
        else down[l++] = v;
    }
    for (int i = 0; i < g; i++) {
        if (up[i] < 0) reach_error();
    }
    for (int i = 0; i < l; i++) {
        if (down[i] >= 0) reach_error();
    }
    return 0;
}
