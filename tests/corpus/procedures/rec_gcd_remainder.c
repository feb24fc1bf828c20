// Euclid's algorithm by recursion: what is returned is positive and at most the first argument.
// expect: safe
// engines: gps gps-lite impact recmc path-invariants bself bse tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a <= 0 || b < 0)
        return 0;
    int divisor = gcd(a, b);
    if (divisor <= 0 || divisor > a)
        reach_error();
    return 0;
}
