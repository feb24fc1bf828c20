// The highest byte of a little endian int holds its sign.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int negative(const void *number)
{
    const unsigned char *bytes = number;
    return (bytes[sizeof(int) - 1] & 0x80) != 0;
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (negative(&x) != (x < 0))
        reach_error();
    ((unsigned char *)&x)[3] &= 0x7f;
    if (x < 0)
        reach_error();
    return 0;
}
