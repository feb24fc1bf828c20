// An address from nowhere.
// expect: unsafe wild-pointer 7
// decided: yes
int main(void)
{
    int *port = (int *)0x12345678;
    return *port;
}
