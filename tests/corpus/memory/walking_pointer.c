// The pointer walks over all elements once, so the count of steps is the length.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a[10];
    int *end = a + 10;
    for (int *p = a; p < end; p++)
        *p = (int)(p - a) * 2;
    int k = __VERIFIER_nondet_int();
    if (k < 0 || k >= 10)
        return 0;
    int *q = end;
    while (q != a + k)
        --q;
    if (*q != 2 * k || q[0] + (int)(end - q) != k + 10)
        reach_error();
    return 0;
}
