// On the error path the first buffer stays allocated.
// expect: unsafe leak 16
// decided: yes
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);

static char *kept;
int main(void)
{
    kept = malloc(8);
    if (__VERIFIER_nondet_int() < 0)
        return 1;
    free(kept);
    return 0;
}
