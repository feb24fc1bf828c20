// Of pointers that are overwritten byte by byte nothing is left.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants explicit
extern void reach_error(void);

int first, second;
struct pair {
    int *a;
    int n;
    int *b;
};

int main(void)
{
    struct pair x = { &first, 5, &second };
    unsigned char *bytes = (unsigned char *)&x;
    for (unsigned i = 0; i < sizeof x; i++)
        bytes[i] = 0;
    if (x.a || x.n || x.b)
        reach_error();
    for (unsigned i = 0; i < sizeof x; i++)
        if (bytes[i] != 0)
            reach_error();
    return 0;
}
