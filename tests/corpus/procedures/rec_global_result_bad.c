// The result is a global variable, which is changed between the call and its use.
// expect: unsafe
// engines: gps gps-lite impact recmc bse kind bmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int result;
static void twice(int n)
{
    if (n == 0) {
        result = 0;
        return;
    }
    twice(n - 1);
    result = result + 2;
    if (n == 5)
        result = result - 1;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000)
        return 0;
    twice(n);
    if (result != 2 * n)
        reach_error();
    return 0;
}
