// Two calls with the halves of an argument.
// expect: safe
// engines: gps recmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int steps(int n)
{
    if (n <= 0)
        return 0;
    int a = steps(n / 2);
    return a + steps(n - n / 2 - 1) + 1;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        return 0;
    if (steps(n) != n)
        reach_error();
    return 0;
}
