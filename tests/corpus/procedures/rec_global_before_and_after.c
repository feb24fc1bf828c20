// A global variable counts up on the way in and down on the way out.
// expect: safe
// engines: gps gps-lite cra recmc path-invariants tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int depth, deepest;
static void visit(int n)
{
    depth++;
    if (depth > deepest)
        deepest = depth;
    if (n > 0)
        visit(n - 1);
    depth--;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000000)
        return 0;
    visit(n);
    if (depth != 0)
        reach_error();
    return 0;
}
