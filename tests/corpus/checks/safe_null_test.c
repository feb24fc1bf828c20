// A pointer is tested before it is used.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = 3, *p = 0;
    if (__VERIFIER_nondet_int() > 10) p = &x;
    if (p) *p = 4;
    return x;
}
