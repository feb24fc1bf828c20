// A Gray code that is taken back: what is shifted of a chain are its operands, and they cancel out.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), gray = x ^ (x >> 1);
    gray ^= gray >> 1;
    gray ^= gray >> 2;
    gray ^= gray >> 4;
    gray ^= gray >> 8;
    gray ^= gray >> 16;
    if (gray != x) reach_error();
    return 0;
}
