// The end of a ring wraps around one element too late.
// expect: unsafe array-bounds 9
// decided: yes
extern int __VERIFIER_nondet_int(void);

struct ring { int data[8]; unsigned end; };
static void put(struct ring *r, int value)
{
    r->data[r->end] = value;
    r->end = (r->end + 1) % 9;
}
int main(void)
{
    struct ring r;
    r.end = 0;
    while (__VERIFIER_nondet_int())
        put(&r, 1);
    return 0;
}
