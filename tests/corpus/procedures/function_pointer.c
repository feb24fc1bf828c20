// A call through a pointer with two targets.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int inc(int x) { return x + 1; }
static int dec(int x) { return x - 1; }
int main(void) {
    int (*f)(int) = __VERIFIER_nondet_int() ? inc : dec;
    int x = 5;
    x = f(x);
    if (x != 4 && x != 6) reach_error();
    return 0;
}
