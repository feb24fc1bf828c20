// A pointer of which some bytes are set to zero is neither null nor what it was (unless all of its other bytes are zero).
// expect: unsafe
// engines: none
extern void *memset(void *, int, unsigned long);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int value;

int main(void)
{
    int *p = &value;
    memset(&p, 0, 2);
    if (p != 0 && p != &value && __VERIFIER_nondet_int() == 77777)
        reach_error();
    return 0;
}
