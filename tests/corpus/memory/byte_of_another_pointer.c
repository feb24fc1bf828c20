// One byte of a pointer is replaced by that of another: for some places of the array in memory the result is neither of them.
// expect: unsafe
// engines: none
extern void reach_error(void);

int value[4];

int main(void)
{
    int *p = &value[1], *q = &value[0];
    ((unsigned char *)&p)[0] = ((unsigned char *)&q)[0];
    if (p != q && p != &value[1])
        reach_error();
    return 0;
}
