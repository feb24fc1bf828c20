// A loop calls a recursion that asks for inputs.
// expect: unsafe
// engines: bse kind bmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int digits(int n)
{
    if (n == 0)
        return 0;
    int d = __VERIFIER_nondet_int();
    if (d < 0 || d > 9)
        return 0;
    return digits(n - 1) * 10 + d;
}

int main(void)
{
    int found = 0;
    for (int i = 1; i <= 3; i++)
        if (digits(i) == (i == 1 ? 7 : i == 2 ? 42 : 365))
            found++;
    if (found == 3)
        reach_error();
    return 0;
}
