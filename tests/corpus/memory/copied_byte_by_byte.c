// A struct with pointers that is copied byte by byte has the same pointers.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants explicit
extern void reach_error(void);

int first, second;
struct pair {
    int *a;
    int n;
    int *b;
};

static void copy(void *to, const void *from, unsigned long size)
{
    unsigned char *d = to;
    const unsigned char *s = from;
    for (unsigned long i = 0; i < size; i++)
        d[i] = s[i];
}

int main(void)
{
    struct pair x = { &first, 5, &second }, y = { &second, 0, 0 };
    copy(&y, &x, sizeof x);
    *y.b = 7;
    if (y.a != &first || y.n != 5 || second != 7)
        reach_error();
    return 0;
}
