// A negative length is a size that no allocation has: the result is null.
// expect: unsafe null-dereference 12
// decided: yes
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int length = __VERIFIER_nondet_int();
    if (length < -1 || length == 0 || length > 8)
        return 0;
    char *text = malloc(length); text[0] = 'a';
    free(text);
    return 0;
}
