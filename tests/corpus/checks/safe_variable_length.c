// An array of variable length within bounds.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 100) return 0;
    int values[n];
    for (int i = 0; i < n; i++)
        values[i] = i;
    return values[n - 1] < 0;
}
