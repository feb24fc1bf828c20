// Through a pointer without prototype a function gets an int for its unsigned int, which is defined for values that fit both types.
// expect: unsafe function-pointer 14
// decided: yes
extern int __VERIFIER_nondet_int(void);

static int is_small(unsigned int x)
{
    return x < 10;
}
int main(void)
{
    int (*called)() = is_small;
    int x = __VERIFIER_nondet_int();
    return called(x);
}
