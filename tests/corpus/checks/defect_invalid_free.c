// A pointer into the middle of an allocation is freed.
// expect: unsafe invalid-free 13
// decided: yes
extern void *malloc(unsigned long);
extern void free(void *);

int main(void)
{
    char *text = malloc(8);
    text[0] = ' ';
    while (*text == ' ')
        text++, *text = 'x';
    free(text);
    return 0;
}
