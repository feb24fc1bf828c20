// Three procedures that call each other, one of them twice.
// expect: safe
// engines: gps recmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int second(int n);
static int third(int n);
static int first(int n)
{
    if (n <= 0)
        return 0;
    return second(n / 2) + third(n - n / 2);
}
static int second(int n)
{
    return n <= 0 ? 0 : 1 + third(n - 1);
}
static int third(int n)
{
    return n <= 0 ? 0 : 1 + first(n - 1);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        return 0;
    if (first(n) != n)
        reach_error();
    return 0;
}
