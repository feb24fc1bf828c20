// A pointer that is set on one branch only.
// expect: unsafe null-dereference 10
// decided: yes
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = 3, *p = 0;
    if (__VERIFIER_nondet_int() > 10) p = &x;
    *p = 4;
    return x;
}
