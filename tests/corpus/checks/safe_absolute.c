// The absolute value, where it fits.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);

static int absolute(int x) { return x < 0 ? -x : x; }
int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x == -2147483647 - 1) return 0;
    return absolute(x) < 0;
}
