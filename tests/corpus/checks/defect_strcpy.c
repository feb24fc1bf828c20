// The text is longer than its target.
// expect: unsafe out-of-bounds 9
// decided: yes
extern char *strcpy(char *, const char *);

int main(void)
{
    char target[6];
    strcpy(target, "longer");
    return target[0] == 'l';
}
