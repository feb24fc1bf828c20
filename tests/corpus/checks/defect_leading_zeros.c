// The number of leading zeros of 0 is not defined.
// expect: unsafe misuse 9
// decided: yes
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    unsigned x = (unsigned)__VERIFIER_nondet_int() & 0xff0;
    return __builtin_clz(x) > 20;
}
