// A function is called with an argument too many.
// expect: unsafe function-pointer 12
// decided: yes

static int one(int a)
{
    return a;
}
int main(void)
{
    int (*two)(int, int) = (int (*)(int, int))one;
    return two(1, 2);
}
