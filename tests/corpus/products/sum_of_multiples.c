// A sum of multiples of a counter is half of a multiple of a product.
// expect: safe
// engines: gps gps-lite cra path-invariants tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), s = 0, i = 1;
    if (n < 1 || n > 1000) return 0;
    while (i <= n) { s += 3 * i; i++; }
    if (2 * s != 3 * n * (n + 1)) reach_error();
    return 0;
}
