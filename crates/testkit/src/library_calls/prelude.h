typedef unsigned long size_t;
typedef int wchar_t;
typedef __builtin_va_list va_list;
#define va_start __builtin_va_start
#define va_end __builtin_va_end

int *__errno_location(void);
#define errno (*__errno_location())

int printf(const char *, ...);
void *memset(void *, int, size_t);
void *memcpy(void *, const void *, size_t);

long strtol(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);
long long strtoll(const char *, char **, int);
unsigned long long strtoull(const char *, char **, int);
long long strtoimax(const char *, char **, int);
unsigned long long strtoumax(const char *, char **, int);
int atoi(const char *);
long atol(const char *);
long long atoll(const char *);
double strtod(const char *, char **);
float strtof(const char *, char **);
long double strtold(const char *, char **);
double atof(const char *);

int snprintf(char *, size_t, const char *, ...);
int sprintf(char *, const char *, ...);
int vsnprintf(char *, size_t, const char *, va_list);
int __snprintf_chk(char *, size_t, int, size_t, const char *, ...);
int __sprintf_chk(char *, int, size_t, const char *, ...);
int sscanf(const char *, const char *, ...);
int __isoc99_sscanf(const char *, const char *, ...);
int __isoc99_scanf(const char *, ...);
int getchar(void);

size_t strlen(const char *);
size_t strnlen(const char *, size_t);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
int strcasecmp(const char *, const char *);
int strncasecmp(const char *, const char *, size_t);
int strcoll(const char *, const char *);
char *strcpy(char *, const char *);
char *strncpy(char *, const char *, size_t);
char *strcat(char *, const char *);
char *strncat(char *, const char *, size_t);
char *stpcpy(char *, const char *);
char *stpncpy(char *, const char *, size_t);
char *strchr(const char *, int);
char *strrchr(const char *, int);
char *strchrnul(const char *, int);
char *strstr(const char *, const char *);
char *strcasestr(const char *, const char *);
char *strpbrk(const char *, const char *);
size_t strspn(const char *, const char *);
size_t strcspn(const char *, const char *);
size_t strxfrm(char *, const char *, size_t);
char *strtok(char *, const char *);
char *strtok_r(char *, const char *, char **);
char *strsep(char **, const char *);
char *basename(const char *);
int memcmp(const void *, const void *, size_t);
void *memchr(const void *, int, size_t);
void *memrchr(const void *, int, size_t);
void *rawmemchr(const void *, int);
void *memmem(const void *, size_t, const void *, size_t);
void *memccpy(void *, const void *, int, size_t);
void *mempcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void swab(const void *, void *, long);
void bcopy(const void *, void *, size_t);
void explicit_bzero(void *, size_t);
void *memfrob(void *, size_t);
void *__memcpy_chk(void *, const void *, size_t, size_t);
void *__memset_chk(void *, int, size_t, size_t);
char *__strcpy_chk(char *, const char *, size_t);
char *__strncpy_chk(char *, const char *, size_t, size_t);
char *__strcat_chk(char *, const char *, size_t);
char *__strncat_chk(char *, const char *, size_t, size_t);

size_t wcslen(const wchar_t *);
int wcscmp(const wchar_t *, const wchar_t *);
int wcsncmp(const wchar_t *, const wchar_t *, size_t);
wchar_t *wcschr(const wchar_t *, wchar_t);
wchar_t *wcsrchr(const wchar_t *, wchar_t);
wchar_t *wcsstr(const wchar_t *, const wchar_t *);
size_t wcsspn(const wchar_t *, const wchar_t *);
size_t wcscspn(const wchar_t *, const wchar_t *);
wchar_t *wcscpy(wchar_t *, const wchar_t *);
wchar_t *wcsncpy(wchar_t *, const wchar_t *, size_t);
wchar_t *wcscat(wchar_t *, const wchar_t *);
wchar_t *wcsncat(wchar_t *, const wchar_t *, size_t);
int wmemcmp(const wchar_t *, const wchar_t *, size_t);
wchar_t *wmemchr(const wchar_t *, wchar_t, size_t);
wchar_t *wmemset(wchar_t *, wchar_t, size_t);
size_t mbstowcs(wchar_t *, const char *, size_t);
size_t wcstombs(char *, const wchar_t *, size_t);
int mbtowc(wchar_t *, const char *, size_t);
int wctomb(char *, wchar_t);

int isalpha(int);
int isdigit(int);
int isspace(int);
int ispunct(int);
int isprint(int);
int iscntrl(int);
int isxdigit(int);
int toupper(int);
int tolower(int);
int iswalpha(unsigned);
int iswpunct(unsigned);
int iswspace(unsigned);
unsigned towupper(unsigned);
unsigned towlower(unsigned);

void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
void *lfind(const void *, const void *, size_t *, size_t, int (*)(const void *, const void *));
void *lsearch(const void *, void *, size_t *, size_t, int (*)(const void *, const void *));
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
div_t div(int, int);
ldiv_t ldiv(long, long);
lldiv_t lldiv(long long, long long);
lldiv_t imaxdiv(long long, long long);
long long imaxabs(long long);
int ffs(int);
int ffsl(long);
int ffsll(long long);

#define UNARY(T, s) \
    T sqrt##s(T), rint##s(T), nearbyint##s(T), trunc##s(T), floor##s(T), ceil##s(T), round##s(T), logb##s(T);
UNARY(double, )
UNARY(float, f)
UNARY(long double, l)
#define BINARY(T, s) \
    T fmod##s(T, T), remainder##s(T, T), fdim##s(T, T), fmax##s(T, T), fmin##s(T, T), copysign##s(T, T), nextafter##s(T, T);
BINARY(double, )
BINARY(float, f)
BINARY(long double, l)
#define OTHERS(T, s) \
    T ldexp##s(T, int), scalbn##s(T, int), frexp##s(T, int *), modf##s(T, T *); \
    long lrint##s(T), lround##s(T); \
    long long llrint##s(T), llround##s(T); \
    int ilogb##s(T);
OTHERS(double, )
OTHERS(float, f)
OTHERS(long double, l)

/* Floats by their bits, and their bits; all NaNs are one. */
static double make_d(unsigned long long bits)
{
    union { unsigned long long u; double d; } x;
    x.u = bits;
    return x.d;
}
static float make_f(unsigned bits)
{
    union { unsigned u; float f; } x;
    x.u = bits;
    return x.f;
}
static long double make_l(unsigned long long significand, unsigned head)
{
    union { struct { unsigned long long s; unsigned short h; } b; long double l; } x;
    x.l = 0;
    x.b.s = significand;
    x.b.h = (unsigned short)head;
    return x.l;
}
static void show_d(double value)
{
    union { unsigned long long u; double d; } x;
    x.d = value;
    if (value != value)
        printf("nan");
    else
        printf("%016llx", x.u);
}
static void show_f(float value)
{
    union { unsigned u; float f; } x;
    x.f = value;
    if (value != value)
        printf("nan");
    else
        printf("%08x", x.u);
}
static void show_l(long double value)
{
    union { struct { unsigned long long s; unsigned short h; } b; long double l; } x;
    x.l = value;
    if (value != value)
        printf("nan");
    else
        printf("%04x%016llx", x.b.h, x.b.s);
}
/* A number for all bytes of an object. */
static unsigned long long hash(const void *memory, int size)
{
    const unsigned char *bytes = memory;
    unsigned long long value = 14695981039346656037ULL;
    for (int i = 0; i < size; i++)
        value = (value ^ bytes[i]) * 1099511628211ULL;
    return value;
}
static int sign(int value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }
static int distance(const void *from, const void *to) { return to == 0 ? -1 : (int)((const char *)to - (const char *)from); }
static int by_byte(const void *a, const void *b) { return (*(const unsigned char *)a >> 2) - (*(const unsigned char *)b >> 2); }
static int by_int(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}
static int through_list(char *to, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int result = vsnprintf(to, size, format, list);
    va_end(list);
    return result;
}
