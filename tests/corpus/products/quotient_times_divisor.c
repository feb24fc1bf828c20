// A quotient by a variable times the divisor is the dividend without the remainder.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int items = __VERIFIER_nondet_int(), size = __VERIFIER_nondet_int();
    if (items < 0 || items > 1000000 || size < 1 || size > 1000)
        return 0;
    int sum = 0;
    for (int i = 0; i < items; i++)
        sum = (sum + i) % size;
    int pages = items / size;
    if (sum < 0 || sum >= size || pages > items || pages * size > items || items - pages * size >= size)
        reach_error();
    return 0;
}
