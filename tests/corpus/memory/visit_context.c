// The callback sees each element once, so its context holds the count and the largest element.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

typedef void (*visitor)(int element, void *context);

struct summary {
    int count;
    int largest;
};

static void each(const int *a, unsigned long n, visitor visit, void *context)
{
    for (unsigned long i = 0; i < n; i++)
        visit(a[i], context);
}

static void note(int element, void *context)
{
    struct summary *s = context;
    if (s->count == 0 || element > s->largest)
        s->largest = element;
    s->count++;
}

int main(void)
{
    int a[4];
    for (int i = 0; i < 4; i++)
        a[i] = __VERIFIER_nondet_int();
    struct summary s = { 0, 0 };
    each(a, 4, note, &s);
    if (s.count != 4 || s.largest < a[0] || s.largest < a[3])
        reach_error();
    return 0;
}
