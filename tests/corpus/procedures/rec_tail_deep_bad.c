// Two tail recursions inside each other that count through pointers: the error is 2^64 calls away.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants explicit
extern void reach_error(void);

static void inner(unsigned *a, unsigned *b)
{
    if (*b < 0xfffffffeu) {
        if (*a == *b && *b == 0xfffffffdu)
            reach_error();
        ++*b;
        inner(a, b);
    }
}

static void outer(unsigned *a, unsigned *b)
{
    if (*a < 0xfffffffeu) {
        *b = 0;
        inner(a, b);
        ++*a;
        outer(a, b);
    }
}

int main(void)
{
    unsigned a = 0, b;
    outer(&a, &b);
    return 0;
}
