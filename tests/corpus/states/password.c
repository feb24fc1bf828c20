// Twenty equal inputs, then another one.
// expect: unsafe
// engines: gps gps-lite impact recmc bself bse kind bmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int s = 0, open = 0;
    while (!open) {
        int c = __VERIFIER_nondet_int();
        if (c == 7) s++;
        else if (c == 9 && s == 20) open = 1;
        else s = 0;
    }
    reach_error();
    return 0;
}
