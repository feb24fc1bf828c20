// Input: 5 (an object exchanged with itself by xor becomes 0).
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void swap(int *a, int *b)
{
    *a ^= *b;
    *b ^= *a;
    *a ^= *b;
}

int main(void)
{
    int values[3];
    values[0] = values[1] = values[2] = __VERIFIER_nondet_int();
    int before = values[1];
    for (int low = 0, high = 2; low <= high; low++, high--)
        swap(&values[low], &values[high]);
    if (values[1] != before)
        reach_error();
    return 0;
}
