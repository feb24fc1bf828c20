// Values behind pointers to locals.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), u = x, v = y;
    swap(&x, &y);
    if (x != v || y != u) reach_error();
    return 0;
}
