// Formats that fit their arguments.
// expect: safe
// decided: yes
extern int printf(const char *, ...);

int main(void)
{
    const char *name = "total";
    printf("%s: %d (%5.2f%%)\n", name, 3, 12.5);
    return 0;
}
