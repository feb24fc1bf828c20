// Indices of 64 bits.
// expect: safe
// decided: yes
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void *malloc(unsigned long);
extern void free(void *);
int main(void)
{
    unsigned long n = __VERIFIER_nondet_ulong();
    if (n < 1 || n > 3)
        return 0;
    int *a = malloc(n * 4);
    if (!a)
        return 0;
    for (unsigned long i = 0; i < n; i++)
        a[i] = 1;
    free(a);
    return 0;
}
