// Input: 30 20 10 (the last element is never looked at).
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

struct offer {
    char shop;
    unsigned char price;
};

static struct offer *cheapest(struct offer *offers, int n)
{
    struct offer *best = offers;
    for (struct offer *o = offers + 1; o < offers + n - 1; o++)
        if (o->price < best->price)
            best = o;
    return best;
}

int main(void)
{
    struct offer offers[3] = { { 'a', 0 }, { 'b', 0 }, { 'c', 0 } };
    for (int i = 0; i < 3; i++)
        offers[i].price = __VERIFIER_nondet_uchar();
    struct offer *best = cheapest(offers, 3);
    if (best->price > offers[2].price)
        reach_error();
    return 0;
}
