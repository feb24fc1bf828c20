// Room for the letters, none for the end of the text.
// expect: unsafe out-of-bounds 15
// decided: yes
extern void *malloc(unsigned long);
extern void free(void *);
extern unsigned long strlen(const char *);

int main(void)
{
    const char *name = "Ada";
    unsigned long length = strlen(name);
    char *copy = malloc(length);
    for (unsigned long i = 0; i < length; i++)
        copy[i] = name[i];
    copy[length] = 0;
    free(copy);
    return 0;
}
