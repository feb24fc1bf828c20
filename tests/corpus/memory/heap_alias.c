// Input: 9 (the cache still points to the block that is changed).
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void *malloc(unsigned long);
extern void free(void *);

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct cache {
    const int *last;
};

static void remember(struct cache *c, const int *value)
{
    c->last = value;
}

int main(void)
{
    struct cache c = { ((void *)0) };
    int *value = malloc(sizeof *value);
    if (value == ((void *)0))
        return 1;
    *value = 4;
    remember(&c, value);
    *value = __VERIFIER_nondet_int();
    if (*c.last != 4)
        reach_error();
    free(value);
    return 0;
}
