// A byte of a pointer that is not aligned, in a packed struct.
// expect: unsafe
// engines: none
extern void reach_error(void);

int value[4];
struct __attribute__((packed)) tagged {
    char tag;
    int *p;
};

int main(void)
{
    struct tagged x = { 1, &value[1] };
    if (((unsigned char *)&x)[1] != 4)
        reach_error();
    return 0;
}
