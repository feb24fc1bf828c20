// Euclid's algorithm: the greatest common divisor is at most the first number, by disjunctive facts about remainders.
// expect: safe
// engines: gps gps-lite impact recmc path-invariants bself bse tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a <= 0 || b < 0)
        return 0;
    int first = a;
    while (b != 0) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    if (a < 1 || a > first)
        reach_error();
    return 0;
}
