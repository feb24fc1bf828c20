// The divisor is tested first.
// expect: safe
// decided: yes
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned total = __VERIFIER_nondet_uint(), parts = __VERIFIER_nondet_uint();
    return parts != 0 && total / parts > 3;
}
