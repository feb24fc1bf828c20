// Input: 1 2 3 4 5 (a forward copy to a higher address repeats the first element).
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void shift_right(int *a, int n)
{
    int *from = a, *to = a + 1;
    while (to < a + n)
        *to++ = *from++;
}

int main(void)
{
    int a[5], old[5];
    for (int i = 0; i < 5; i++)
        old[i] = a[i] = __VERIFIER_nondet_int();
    shift_right(a, 5);
    for (int i = 1; i < 5; i++)
        if (a[i] != old[i - 1])
            reach_error();
    return 0;
}
