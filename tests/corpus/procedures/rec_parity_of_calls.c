// Bitwise operations on results of which contracts bound the bits.
// expect: safe
// engines: gps recmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int parity(int n)
{
    if (n <= 0)
        return __VERIFIER_nondet_int() & 1;
    int a = parity(n - 1), b = parity(n / 2);
    return a ^ b;
}

int main(void)
{
    int r = parity(__VERIFIER_nondet_int());
    if (r != 0 && r != 1)
        reach_error();
    return 0;
}
