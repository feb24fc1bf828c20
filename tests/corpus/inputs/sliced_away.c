// Inputs that do not matter stand between those that do.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int unused = __VERIFIER_nondet_int(), x = __VERIFIER_nondet_int();
    for (int i = 0; i < 3; i++) unused += __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    if (x == 17 && y == x + 1) reach_error();
    return unused & 0;
}
