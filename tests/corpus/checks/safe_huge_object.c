// An object of 2^31 bytes is used up to its last byte.
// expect: safe
// decided: yes
extern void *malloc(unsigned long);
extern void free(void *);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
    char *bytes = malloc(2147483648u);
    unsigned at = __VERIFIER_nondet_uint();
    if (at <= 2147483647u)
        bytes[at] = 1;
    bytes[2147483647u] = 2;
    free(bytes);
    return 0;
}
