// Each activation has a loop before and after the call.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int area(int n)
{
    int r = 0;
    if (n <= 0)
        return 0;
    for (int i = 0; i < n; i++)
        r++;
    r += area(n - 1);
    while (r > 100)
        r -= 100;
    return r;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n > 1000)
        return 0;
    int r = area(n);
    if (r < 0 || r > 100)
        reach_error();
    return 0;
}
