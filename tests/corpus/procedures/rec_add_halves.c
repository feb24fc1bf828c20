// Addition with two nested calls: the result of one is the argument of the other.
// expect: safe
// engines: gps recmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int add(int m, int n)
{
    if (n == 0)
        return m;
    if (n == 1)
        return m + 1;
    return add(add(m, n / 2), n - n / 2);
}

int main(void)
{
    int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (m < 0 || m > 100000 || n < 0 || n > 100000)
        return 0;
    if (add(m, n) != m + n)
        reach_error();
    return 0;
}
