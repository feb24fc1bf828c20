// The text fits its target.
// expect: safe
// decided: yes
extern char *strcpy(char *, const char *);

int main(void)
{
    char target[7];
    strcpy(target, "longer");
    return target[0] != 'l';
}
