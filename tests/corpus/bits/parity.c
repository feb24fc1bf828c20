// A parity bit.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned char x = __VERIFIER_nondet_uint(), p = 0;
    for (int i = 0; i < 8; i++) p ^= (x >> i) & 1;
    if (p > 1) reach_error();
    return 0;
}
