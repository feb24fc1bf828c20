// An operand is used although the result is known without it.
// expect: unsafe uninitialised 8
// decided: yes

int main(void)
{
    int x;
    while (x && 0)
        ;
    return 0;
}
