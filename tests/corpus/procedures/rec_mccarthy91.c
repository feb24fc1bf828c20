// Nested calls: the argument of one call is the result of another.
// expect: safe
// engines: gps recmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int f(int n) { return n > 100 ? n - 10 : f(f(n + 11)); }

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int r = f(n);
    if (r != 91 && (n <= 101 || r != n - 10))
        reach_error();
    return 0;
}
