// Combinations of a state and a flag.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int state = 10, next = 0, flag = 0;
    while (1) {
        if (state == 10) { if (flag == 0) flag = 1; state = __VERIFIER_nondet_int() ? 20 : 30; }
        else if (state == 20) { if (flag == 1) flag = 2; next = 40; state = 50; }
        else if (state == 30) { if (flag == 1) flag = 3; next = 10; state = 50; }
        else if (state == 40) { if (flag == 3) reach_error(); state = 20; }
        else if (state == 50) { state = flag == 3 ? 60 : next; }
        else return 0;
    }
}
