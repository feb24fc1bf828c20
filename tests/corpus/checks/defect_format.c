// The format asks for an argument that is not there.
// expect: unsafe format 8
// decided: yes
extern int printf(const char *, ...);

int main(void)
{
    printf("%d of %d\n", 3);
    return 0;
}
