// Linear recursion: the product of two numbers.
// expect: safe
// engines: gps gps-lite cra path-invariants tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int multiply(int a, int b) { return b == 0 ? 0 : a + multiply(a, b - 1); }

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < 0 || b < 0 || a > 1000 || b > 1000)
        return 0;
    if (multiply(a, b) != a * b)
        reach_error();
    return 0;
}
