// Recursion through a pointer that chooses between two procedures.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int up(int n);
static int down(int n);
static int call(int n, int (*f)(int)) { return f(n); }
static int up(int n) { if (n >= 10) return n; return call(n + 1, n % 2 ? up : down); }
static int down(int n) { if (n >= 10) return n; return call(n + 2, up); }

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 10)
        return 0;
    if (up(n) < 10 || up(n) > 11)
        reach_error();
    return 0;
}
