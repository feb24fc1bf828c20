// Through a pointer without prototype a function gets an argument too many.
// expect: unsafe function-pointer 12
// decided: yes

static int same(int x)
{
    return x;
}
int main(void)
{
    int (*called)() = same;
    return called(3, 4);
}
