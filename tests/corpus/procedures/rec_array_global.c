// Tail recursion that fills a global array.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int a[8];
static void fill(int i)
{
    if (i >= 8)
        return;
    a[i] = i;
    fill(i + 1);
}

int main(void)
{
    int i = __VERIFIER_nondet_int();
    fill(0);
    if (i >= 0 && i < 8 && a[i] > 7)
        reach_error();
    return 0;
}
