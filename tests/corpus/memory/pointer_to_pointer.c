// Select stores the address of the larger variable, so *p is the maximum, and the store through it changes only that one.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void select_larger(int *a, int *b, int **out)
{
    *out = *a >= *b ? a : b;
}

int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    int *p;
    int **pp = &p;
    select_larger(&x, &y, pp);
    if (*p < x || **pp < y)
        reach_error();
    int low = p == &x ? y : x;
    **pp = low;
    if (x != y)
        reach_error();
    return 0;
}
