// Exchanging twice restores both values.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    int old_x = x, old_y = y;
    swap(&x, &y);
    if (x != old_y || y != old_x)
        reach_error();
    swap(&x, &x);
    swap(&y, &x);
    if (x != old_x || y != old_y)
        reach_error();
    return 0;
}
