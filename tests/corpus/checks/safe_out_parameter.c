// A result through a pointer to a local variable of the caller.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);

static int divide(int a, int b, int *quotient)
{
    if (b <= 0) return 0;
    *quotient = a / b;
    return 1;
}
int main(void)
{
    int q;
    if (divide(__VERIFIER_nondet_int(), __VERIFIER_nondet_int(), &q))
        return q == 3;
    return 0;
}
