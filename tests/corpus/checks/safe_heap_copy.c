// Room for the letters and for the end of the text.
// expect: safe
// decided: yes
extern void *malloc(unsigned long);
extern void free(void *);
extern unsigned long strlen(const char *);

int main(void)
{
    const char *name = "Ada";
    unsigned long length = strlen(name);
    char *copy = malloc(length + 1);
    for (unsigned long i = 0; i <= length; i++)
        copy[i] = name[i];
    free(copy);
    return 0;
}
