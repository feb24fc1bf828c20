// The index of a row of variable length leaves the row, not the memory.
// expect: unsafe array-bounds 12
// decided: yes
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 3)
        return 0;
    int(*p)[n] = malloc(8ul * (unsigned long)n); (*p)[n] = 2;
    return 0;
}
