// The error is in the innermost activation, and its callers have a condition on it.
// expect: unsafe
// engines: gps gps-lite impact recmc bself bse kind bmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int limit;
static void f(int n, int sum)
{
    if (n == 0) {
        if (sum == limit && limit > 50)
            reach_error();
        return;
    }
    f(n - 1, sum + n);
    limit = 0;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100)
        return 0;
    limit = __VERIFIER_nondet_int();
    f(n, 0);
    return 0;
}
