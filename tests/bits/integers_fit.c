// Integers of 32 bits are exact in double precision.
// expect: safe
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    double y = x;
    if ((int)y != x) reach_error();
    return 0;
}
