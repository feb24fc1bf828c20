/* Library functions that are models in C, with the results of glibc; no result depends on the size of `long`. */
int printf(const char *, ...);
int snprintf(char *, unsigned long, const char *, ...), sprintf(char *, const char *, ...);
int vsnprintf(char *, unsigned long, const char *, __builtin_va_list);
int sscanf(const char *, const char *, ...);
int *__errno_location(void);
long strtol(const char *, char **, int);
long long strtoll(const char *, char **, int);
unsigned long long strtoull(const char *, char **, int);
double strtod(const char *, char **), sqrt(double), fmod(double, double), remainder(double, double),
    modf(double, double *), frexp(double, int *), ldexp(double, int), rint(double);
float strtof(const char *, char **), modff(float, float *);
long double strtold(const char *, char **), floorl(long double), ldexpl(long double, int);
long lrint(double);
void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, unsigned long, unsigned long, int (*)(const void *, const void *));
char *strtok(char *, const char *), *strsep(char **, const char *), *strcasestr(const char *, const char *);
char *strcpy(char *, const char *), *__strcpy_chk(char *, const char *, unsigned long);
unsigned long mbstowcs(int *, const char *, unsigned long), wcslen(const int *);
struct pair { int quot, rem; } div(int, int);
struct wide_pair { long long quot, rem; } lldiv(long long, long long);

static int descending(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }

static int print_to(char *to, unsigned long size, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int result = vsnprintf(to, size, format, list);
    __builtin_va_end(list);
    return result;
}

int main(void)
{
    char text[120], *end;
    int a = -1, b = -1, n = -1;
    double whole, x = 0;
    float part;
    *__errno_location() = 0;
    printf("%lld ", strtoll("-9223372036854775809z", &end, 10));
    printf("%s %d\n", end, *__errno_location());
    printf("%llu ", strtoull("0xfg", &end, 0));
    printf("%d %d\n", *end, (int)strtol("12", 0, 1));
    printf("%d\n", *__errno_location());
    printf("%d ", snprintf(text, 12, "%d|%5s|%-4x|%c", 42, "ab", 255, 'q'));
    printf("[%s]\n", text);
    printf("%d ", print_to(text, sizeof text, "%05.1f %e %g %a %.3Lf %hhd%n", 3.25, 1e100, 0.0001, 1.0, 2.0625L, 300, &n));
    printf("[%s] %d\n", text, n);
    printf("%d ", sscanf("12 abc 3.5e2,0x1f tail", "%d %3s %lf,%i%n", &a, text, &x, &b, &n));
    printf("%d %s %g %d %d\n", a, text, x, b, n);
    printf("%d %d\n", sscanf("", "%d", &a), sscanf("x", "%d", &a));
    printf("%a %a %La\n", strtod("2.2250738585072011e-308", &end), (double)strtof("0x1.000001p0", 0), strtold("0.1", 0));
    printf("%a %a %a %a\n", sqrt(2), fmod(-10, 3), remainder(10, 4), ldexp(0.75, -1074));
    printf("%a %Lg %g %d\n", modf(-3.25, &whole), floorl(-1.5L), rint(2.5), (int)lrint(3.5));
    printf("%g %g %g ", whole, (double)modff(1.25f, &part), frexp(10, &n));
    printf("%g %d %Lg\n", (double)part, n, ldexpl(1.5L, 100));
    int numbers[20];
    for (int i = 0; i < 20; i++)
        numbers[i] = i * 7 % 20;
    qsort(numbers, 20, sizeof numbers[0], descending);
    a = 5;
    printf("%d %d %d\n", numbers[0], numbers[19], (int)((int *)bsearch(&a, numbers, 20, sizeof a, descending) - numbers));
    strcpy(text, "one,,two;three");
    for (char *token = strtok(text, ",;"); token != 0; token = strtok(0, ",;"))
        printf("%s ", token);
    char fields[] = "a::b", *rest = fields;
    for (char *field = strsep(&rest, ":"); field != 0; field = strsep(&rest, ":"))
        printf("<%s>", field);
    printf(" %s %s\n", strcasestr("HeLLo", "ll"), __strcpy_chk(text, "checked", sizeof text));
    int characters[8];
    printf("%d ", (int)mbstowcs(characters, "wide", 8));
    printf("%d ", (int)wcslen(characters));
    printf("%d ", (int)mbstowcs(characters, "\200", 8));
    printf("%d\n", *__errno_location());
    struct pair quotient = div(-17, 5);
    struct wide_pair large = lldiv(-9000000000, 7);
    printf("%d %d %lld %lld\n", quotient.quot, quotient.rem, large.quot, large.rem);
    return 0;
}
