// A recursion that counts through a pointer, before and after its call.
// expect: safe
// engines: gps gps-lite cra recmc path-invariants
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void count(int n, int *out)
{
    if (n <= 0)
        return;
    *out = *out + 1;
    count(n - 1, out);
    *out = *out + 1;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int counted = 0;
    if (n < 0 || n > 100000)
        return 0;
    count(n, &counted);
    if (counted != 2 * n)
        reach_error();
    return 0;
}
