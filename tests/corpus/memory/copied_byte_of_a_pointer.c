// A byte of a pointer is first copied, then tested.
// expect: unsafe
// engines: none
extern void reach_error(void);

int value[4];

static void copy_byte(unsigned char *to, const unsigned char *from)
{
    *to = *from;
}

int main(void)
{
    int *p = &value[1];
    unsigned char c = 7;
    copy_byte(&c, (unsigned char *)&p);
    if (c != 4 && c != 7)
        reach_error();
    return 0;
}
