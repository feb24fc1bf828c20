// The same with a mistake: at 9 one step is forgotten.
// expect: unsafe
// engines: gps gps-lite impact recmc bself bse kind bmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int add(int m, int n)
{
    if (n == 0)
        return m;
    return add(n == 9 ? m : m + 1, n - 1);
}

int main(void)
{
    int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (m < 0 || m > 1000 || n < 0 || n > 1000)
        return 0;
    if (add(m, n) != m + n && m == 17)
        reach_error();
    return 0;
}
