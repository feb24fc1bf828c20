// Both paths free the buffer.
// expect: safe
// decided: yes
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    char *buffer = malloc(8);
    if (__VERIFIER_nondet_int() < 0) {
        free(buffer);
        return 1;
    }
    free(buffer);
    return 0;
}
