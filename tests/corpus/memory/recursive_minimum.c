// Input: 7 1 2 (the outermost call takes a[0] without a comparison).
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void minimum(const int *a, int n, int *least)
{
    if (n == 0)
        return;
    minimum(a + 1, n - 1, least);
    if (n == 3 || *a < *least)
        *least = *a;
}

int main(void)
{
    int a[3];
    for (int i = 0; i < 3; i++)
        a[i] = __VERIFIER_nondet_int();
    int least = a[2];
    minimum(a, 3, &least);
    if (least > a[1])
        reach_error();
    return 0;
}
