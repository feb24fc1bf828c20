/* Library functions that are models in C, against the values that the standard gives. */
int printf(const char *, ...);
unsigned long strlen(const char *), strnlen(const char *, unsigned long), strspn(const char *, const char *),
    strcspn(const char *, const char *);
int strcmp(const char *, const char *), strncmp(const char *, const char *, unsigned long),
    strcasecmp(const char *, const char *), memcmp(const void *, const void *, unsigned long);
char *strncpy(char *, const char *, unsigned long), *strncat(char *, const char *, unsigned long),
    *stpcpy(char *, const char *), *strrchr(const char *, int), *strpbrk(const char *, const char *), *strdup(const char *);
void *memchr(const void *, int, unsigned long), *memcpy(void *, const void *, unsigned long),
    *memmove(void *, const void *, unsigned long), *calloc(unsigned long, unsigned long);
void free(void *);
long labs(long), strtol(const char *, char **, int), atol(const char *);
unsigned long strtoul(const char *, char **, int);
long long llabs(long long), strtoll(const char *, char **, int);
int isalpha(int), isdigit(int), isspace(int), ispunct(int), isxdigit(int), isalnum(int), isprint(int);
double fabs(double), floor(double), ceil(double), round(double), trunc(double), fmax(double, double),
    copysign(double, double);
int *__errno_location(void);
static int sign(int x) { return (x > 0) - (x < 0); }
int main(void)
{
    char buffer[16] = "xxxxxxxxxxxxxxx", *end, a[] = "a", abc[] = "abc", hello[] = "HeLLo";
    printf("%lu %lu %lu %lu\n", strlen("hello"), strnlen("hello", 3), strspn("aabbc", "ab"), strcspn("xyz,", ","));
    printf("%d %d %d\n", sign(strcmp(a, "b")), sign(strncmp(abc, "abd", 2)), sign(strcasecmp(hello, "hEllO")));
    strncpy(buffer, "ab", 5);
    printf("%d %d %c\n", buffer[2], buffer[4], buffer[5]);
    strncat(buffer, "cdefg", 3);
    printf("%s %ld\n", buffer, stpcpy(buffer, "zz") - buffer);
    printf("%s %s\n", strrchr("a/b/c", '/'), strpbrk("hello", "xl"));
    char *copy = strdup("copied");
    printf("%s %d\n", copy, memcmp(copy, "copied", 7));
    free(copy);
    printf("%d %ld\n", memchr("abc", 'z', 3) == 0, (long)(memchr("abc", 'c', 3) != 0));
    memcpy(buffer, "0123456789", 11);
    memmove(buffer + 2, buffer, 5);
    printf("%s\n", buffer);
    int *zeros = calloc(3, sizeof *zeros);
    printf("%d %ld %lld\n", zeros[2], labs(-5L), llabs(-6LL));
    printf("%ld %ld %lu %lld\n", strtol("  -42abc", &end, 10), atol("17"), strtoul("ff", 0, 16), strtoll("0777", 0, 0));
    printf("%s\n", end);
    printf("%d %d %d %d %d %d %d\n", !!isalpha('x'), !!isdigit('x'), !!isspace('\t'), !!ispunct(','), !!isxdigit('f'),
        !!isalnum('_'), !!isprint(127));
    printf("%g %g %g %g %g %g %g\n", fabs(-0.5), floor(-1.5), ceil(-1.5), round(2.5), trunc(-2.7), fmax(1, 2), copysign(3, -0.0));
    *__errno_location() = 7;
    printf("%d\n", *__errno_location());
    return 0;
}
