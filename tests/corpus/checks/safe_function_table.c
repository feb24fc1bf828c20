// Every entry of the table is a function.
// expect: safe
// decided: yes
extern unsigned __VERIFIER_nondet_uint(void);

static int add(int x) { return x + 1; }
static int keep(int x) { return x; }
int main(void)
{
    int (*handlers[2])(int) = { add, keep };
    unsigned which = __VERIFIER_nondet_uint() % 2;
    return handlers[which](4) < 4;
}
