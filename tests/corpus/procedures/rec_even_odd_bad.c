// Mutual tail recursion that passes 13 on.
// expect: unsafe
// engines: gps gps-lite impact recmc bself bse kind bmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int even(int n);
static int odd(int n) { if (n == 0) return 0; if (n == 13) return odd(n - 1); return even(n - 1); }
static int even(int n) { if (n == 0) return 1; return odd(n - 1); }

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100000)
        return 0;
    if (!even(n) && n % 2 == 0)
        reach_error();
    return 0;
}
