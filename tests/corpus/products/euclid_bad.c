// Euclid's algorithm: the greatest common divisor may be the first number.
// expect: unsafe
// engines: gps
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a <= 100 || b <= a)
        return 0;
    int first = a;
    while (b != 0) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    if (a >= first)
        reach_error();
    return 0;
}
