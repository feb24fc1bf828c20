// The size of so many elements is no number of bytes: no signed operation overflows, the pointer leaves its object.
// expect: unsafe out-of-bounds 9
// decided: yes
extern long __VERIFIER_nondet_long(void);
int a[4];
int main(void)
{
    long n = __VERIFIER_nondet_long();
    int *q = a + n;
    return 0;
}
