// The address of a local variable leaves its function.
// expect: unsafe use-after-free 13
// decided: yes
static int *counter(void)
{
    int count = 5;
    int *where = &count;
    return where;
}
int main(void)
{
    int *count = counter();
    return *count;
}
