// As chains.c; an operand that occurs twice cancels out.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if ((x ^ (y ^ x)) != y) return 0;
    if ((x ^ y) != (x | y)) reach_error();
    return 0;
}
