// A result that is returned through a pointer to a local variable of the caller.
// expect: safe
// engines: gps gps-lite cra recmc path-invariants tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void twice(int n, int *result)
{
    int inner;
    if (n <= 0) {
        *result = 0;
        return;
    }
    twice(n - 1, &inner);
    *result = inner + 2;
}

int main(void)
{
    int n = __VERIFIER_nondet_int(), result;
    if (n < 0 || n > 1000000)
        return 0;
    twice(n, &result);
    if (result != 2 * n)
        reach_error();
    return 0;
}
