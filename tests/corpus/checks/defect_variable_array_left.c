// An array of variable length is used after its block was left.
// expect: unsafe use-after-free 14
// decided: yes
extern int __VERIFIER_nondet_int(void);

static int *first(int n)
{
    int *p;
    {
        int row[n];
        row[0] = 1;
        p = row;
    }
    return *p > 0 ? p : 0;
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    return n < 1 || n > 3 ? 0 : first(n) == 0;
}
