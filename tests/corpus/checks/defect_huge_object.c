// One byte behind an object of 2^31 bytes: the index is negative as an int.
// expect: unsafe out-of-bounds 12
// decided: yes
extern void *malloc(unsigned long);
extern void free(void *);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
    char *bytes = malloc(2147483648u);
    unsigned at = __VERIFIER_nondet_uint();
    if (at <= 2147483648u)
        bytes[at] = 1;
    free(bytes);
    return 0;
}
