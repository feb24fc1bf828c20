// Functions are called with their type after a conversion to another one.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);
typedef int (*operation)(int, int);

static int add(int a, int b)
{
    return (a & 7) + (b & 7);
}
static int subtract(int a, int b)
{
    return (a & 7) - (b & 7);
}
int main(void)
{
    operation both[2] = { add, subtract };
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 1)
        return 0;
    void (*other)(void) = (void (*)(void))both[i];
    return ((operation)other)(1, 2);
}
