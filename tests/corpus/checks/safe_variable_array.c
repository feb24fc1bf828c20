// An array of variable length in a loop is used as long as its block lasts.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);

static int sum(int n, const int *from)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}
int main(void)
{
    int n = __VERIFIER_nondet_int(), total = 0;
    if (n < 1 || n > 3)
        return 0;
    for (int k = 0; k < 2; k++) {
        int row[n];
        for (int i = 0; i < n; i++)
            row[i] = i;
        if (total > 100)
            break;
        total += sum(n, row);
    }
    return total;
}
