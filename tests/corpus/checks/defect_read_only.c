// A letter of a literal is changed.
// expect: unsafe read-only 7
// decided: yes
int main(void)
{
    char *greeting = "hello";
    greeting[0] = 'H';
    return 0;
}
