// Calls through pointers without prototype with arguments that fit.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);

static int is_small(unsigned int x)
{
    return x < 10;
}
static int length(void *text)
{
    return text != 0;
}
static int sum(a, b) short a; long b;
{
    return a + (b == 0);
}
int main(void)
{
    int (*called)() = is_small;
    int x = __VERIFIER_nondet_int(), found = 0;
    short two = 2;
    char text[] = "text";
    if (x >= 0)
        found = called(x);
    called = length;
    if (found)
        found = called(text);
    called = sum;
    return found + called(two, 3L);
}
