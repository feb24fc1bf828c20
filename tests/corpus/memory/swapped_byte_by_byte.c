// Two pointers are exchanged byte by byte.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants explicit
extern void *memcpy(void *, const void *, unsigned long);
extern void reach_error(void);

int first, second;

static void swap(char *a, char *b, unsigned size)
{
    char kept[1];
    for (unsigned i = 0; i < size; i++) {
        memcpy(kept, a + i, 1);
        a[i] = b[i];
        memcpy(b + i, kept, 1);
    }
}

int main(void)
{
    int *p = &first, *q = &second;
    swap((char *)&p, (char *)&q, sizeof p);
    if (p != &second || q != &first)
        reach_error();
    return 0;
}
