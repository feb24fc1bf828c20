// Input: 7 (y is above 5, so p is redirected to x).
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void redirect(int **pp, int *target)
{
    if (**pp > 5)
        *pp = target;
}

int main(void)
{
    int x = 0, y = __VERIFIER_nondet_int();
    int *p = &y;
    int **pp = &p;
    redirect(pp, &x);
    **pp = 1;
    if (x == 1)
        reach_error();
    return 0;
}
