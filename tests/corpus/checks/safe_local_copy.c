// A literal is copied before it is changed.
// expect: safe
// decided: yes
int main(void)
{
    char greeting[] = "hello";
    greeting[0] = 'H';
    return greeting[1] != 'e';
}
