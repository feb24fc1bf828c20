// A table of functions that is also used as bytes: the call still calls one of them.
// expect: unsafe
// engines: none
extern void *memcpy(void *, const void *, unsigned long);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int depth;
static void leave(void) { depth--; }
static void enter(void)
{
    depth++;
    if (depth < 0)
        enter();
}

int main(void)
{
    void (*handlers[2])(void) = { enter, leave };
    unsigned char bytes[sizeof handlers];
    memcpy(bytes, handlers, sizeof handlers);
    for (unsigned i = 0; i < sizeof handlers; i++)
        ((unsigned char *)handlers)[i] = bytes[i];
    handlers[__VERIFIER_nondet_int() == 5]();
    if (depth == -1)
        reach_error();
    return 0;
}
