// The data sheet promises -40 to 125 degrees.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int condition);

int read_celsius(void) {
    int celsius = __VERIFIER_nondet_int();
    __VERIFIER_assume(celsius >= -40 && celsius <= 125);
    return celsius;
}
