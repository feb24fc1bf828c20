// Both parameters of the inner call are the same address: what is stored last is what both have.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void both(int n, int *first, int *second)
{
    int inner = 0;
    if (n <= 0) {
        *first = 1;
        *second = 2;
        return;
    }
    both(n - 1, &inner, &inner);
    *first = inner;
    *second = inner + 1;
}

int main(void)
{
    int n = __VERIFIER_nondet_int(), first = 0, second = 0;
    if (n < 1 || n > 9)
        return 0;
    both(n, &first, &second);
    if (n == 1 && first == 2)
        reach_error();
    return 0;
}
