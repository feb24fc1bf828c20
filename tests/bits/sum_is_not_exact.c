// A tenth and two tenths.
// expect: unsafe
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    double x = n == 1 ? 0.1 : 0.25, y = n == 1 ? 0.2 : 0.5;
    if (n == 1 && x + y != 0.3) reach_error();
    return 0;
}
