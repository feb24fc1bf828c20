// Through a pointer without prototype a function gets an int for its short.
// expect: unsafe function-pointer 12
// decided: yes

static int is_three(short x)
{
    return x == 3;
}
int main(void)
{
    int (*called)() = (int (*)())is_three;
    return called(70000);
}
