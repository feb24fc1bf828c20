// A size is checked before it is used, and the copy of no bytes is one.
// expect: safe
// decided: yes
extern void *malloc(unsigned long);
extern void free(void *);
extern void *memset(void *, int, unsigned long);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int length = __VERIFIER_nondet_int();
    if (length < 0 || length > 64)
        return 0;
    char *text = malloc(length + 1);
    memset(text, 'x', length);
    text[length] = 0;
    free(text);
    return 0;
}
