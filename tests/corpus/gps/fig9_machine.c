// A state machine as in figure 9 of the GPS paper: gas makes tests progress.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int s = 0;
    while (1) {
        int c = __VERIFIER_nondet_int();
        if (c == 'd' && s == 0) s = 1;
        else if (c == 'o' && s == 1) s = 2;
        else if (c == 'g' && s == 2) s = 3;
        if (s == 3) reach_error();
    }
}
