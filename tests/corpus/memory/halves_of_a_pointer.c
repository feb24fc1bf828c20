// A pointer is put together again from its two halves.
// expect: unsafe
// engines: none
extern void *memcpy(void *, const void *, unsigned long);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int value = 0;
    int *p = &value;
    unsigned low, high;
    memcpy(&low, &p, 4);
    memcpy(&high, (char *)&p + 4, 4);
    int *q = (int *)((unsigned long)high << 32 | low);
    *q = __VERIFIER_nondet_int();
    if (value == 123456)
        reach_error();
    return 0;
}
