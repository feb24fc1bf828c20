// The table of handlers has a gap.
// expect: unsafe function-pointer 12
// decided: yes
extern unsigned __VERIFIER_nondet_uint(void);

static int add(int x) { return x + 1; }
static int keep(int x) { return x; }
int main(void)
{
    int (*handlers[3])(int) = { add, 0, keep };
    unsigned which = __VERIFIER_nondet_uint() % 3;
    return handlers[which](4);
}
