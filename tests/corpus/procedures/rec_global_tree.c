// A recursion with two calls that counts in a global variable.
// expect: safe
// engines: gps recmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int total;
static void visit(int n)
{
    if (n <= 0)
        return;
    visit((n - 1) / 2);
    total = total + 1;
    visit(n - 1 - (n - 1) / 2);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100000)
        return 0;
    total = 5;
    visit(n);
    if (total != n + 5)
        reach_error();
    return 0;
}
