// Three procedures that call each other in turn; which one is last is returned.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int b(int n);
static int c(int n);
static int a(int n) { if (n <= 0) return 1; int r = b(n - 1); return r; }
static int b(int n) { if (n <= 0) return 2; int r = c(n - 1); return r + 10; }
static int c(int n) { if (n <= 0) return 3; int r = a(n - 1); return r + 100; }

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 3 && a(n) == 13)
        reach_error();
    return 0;
}
