// Only one of two owners frees the buffer.
// expect: safe
// decided: yes
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    char *buffer = malloc(16), *alias = buffer;
    if (__VERIFIER_nondet_int() == 5) {
        free(alias);
        buffer = 0;
    }
    free(buffer);
    return 0;
}
