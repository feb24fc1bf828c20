// An even counter of eight bits stays even.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind tracer tracer-sp
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned char x = 0; unsigned n = __VERIFIER_nondet_uint();
    while (n > 0) { x = x + 2; n--; }
    if (x % 2) reach_error();
    return 0;
}
