// An address as a number in a union, of which only the low half is read.
// expect: unsafe
// engines: none
extern void reach_error(void);

int value[4];
union number {
    long whole;
    short low;
};

int main(void)
{
    union number x;
    x.whole = (long)&value[1];
    if (x.low != 4)
        reach_error();
    return 0;
}
