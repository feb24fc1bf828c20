// Input: 77777 (the two lowest bytes of a pointer are cleared; what it points to then depends on where the variable lies).
// expect: unsafe
// engines: none
extern void *memset(void *, int, unsigned long);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int value;

int main(void)
{
    int *p = &value;
    if (__VERIFIER_nondet_int() == 77777)
        memset(&p, 0, 2);
    if (p && p != &value)
        reach_error();
    return 0;
}
