// Objects that are defined const are initialised and read.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);

static int sum(const int *from, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}
int main(void)
{
    static const int table[3] = { 1, 2, 3 };
    const int chosen = __VERIFIER_nondet_int();
    const int *p = &chosen;
    return *p > 5 ? 0 : sum(table, 3);
}
