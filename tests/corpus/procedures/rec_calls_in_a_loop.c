// A loop whose body calls the procedure that it is in.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int f(int n)
{
    if (n <= 0)
        return 0;
    int s = 0;
    for (int i = 0; i < 3; i++)
        s += f(n - 1);
    return s > 5 ? 5 : s + 1;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n > 100)
        return 0;
    int r = f(n);
    if (r < 0 || r > 6)
        reach_error();
    return 0;
}
