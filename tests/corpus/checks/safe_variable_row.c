// All elements of rows of variable length, and the end of a row.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 3)
        return 0;
    int(*p)[n] = malloc(sizeof(int) * (unsigned long)n * 2);
    if (!p)
        return 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < n; j++)
            p[i][j] = 1;
    int *end = &p[0][n];
    int result = end == p[1];
    free(p);
    return result;
}
