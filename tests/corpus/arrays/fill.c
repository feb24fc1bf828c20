// All elements are written by a loop: needs a quantified invariant.
// expect: safe
// engines: bself bse kind bmc tracer tracer-sp
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    int a[100], i;
    for (i = 0; i < 100; i++) a[i] = 7;
    unsigned k = __VERIFIER_nondet_uint();
    if (k < 100 && a[k] != 7) reach_error();
    return 0;
}
