/* One input in four billion breaks it. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 1000 && x < 100000) {
        if (!(x * 3 + 1 != 123457)) { reach_error(); }
    }
    return 0;
}
