// A variable without a value is named, and not used.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x;
    (void)x;
    int c = __VERIFIER_nondet_int();
    if (c)
        x = 1;
    switch (c) {
    default:;
    }
    while (c && 0)
        ;
    return c && x;
}
