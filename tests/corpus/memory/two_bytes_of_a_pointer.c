// What the low bytes of a pointer are depends on where the array lies.
// expect: unsafe
// engines: none
extern void *memcpy(void *, const void *, unsigned long);
extern void reach_error(void);

int value[4];

int main(void)
{
    int *p = &value[1];
    unsigned short low;
    memcpy(&low, &p, 2);
    if (low != 4)
        reach_error();
    return 0;
}
