// Input: 3 9 1 (with the limits in the wrong order the result is outside of them).
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void limit(int *value, int low, int high)
{
    if (*value < low)
        *value = low;
    if (*value > high)
        *value = high;
}

int main(void)
{
    int value = __VERIFIER_nondet_int();
    int low = __VERIFIER_nondet_int();
    int high = __VERIFIER_nondet_int();
    limit(&value, low, high);
    if (value < low || value > high)
        reach_error();
    return 0;
}
