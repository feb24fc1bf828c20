/* Wide strings; `wchar_t` is `int`. Source and target must not overlap, see string.c. */

void __wayproof_readable(const void *from, unsigned long length);
void *__wayproof_memcpy(void *to, const void *from, unsigned long n);
void *__wayproof_memmove(void *to, const void *from, unsigned long n);
void __wayproof_overlap(void);

unsigned long __wayproof_wcslen(const int *s)
{
    unsigned long n = 0;
    while (s[n] != 0)
        n++;
    return n;
}

unsigned long __wayproof_wcsnlen(const int *s, unsigned long max)
{
    unsigned long n = 0;
    while (n < max && s[n] != 0)
        n++;
    return n;
}

int *__wayproof_wcscpy(int *to, const int *from)
{
    unsigned long i = 0;
    while (1) {
        int c = from[i];
        if (to + i == from || from + i == to)
            __wayproof_overlap();
        if ((to[i] = c) == 0)
            return to;
        i++;
    }
}

int *__wayproof_wcpcpy(int *to, const int *from)
{
    unsigned long i = 0;
    while (1) {
        int c = from[i];
        if (to + i == from || from + i == to)
            __wayproof_overlap();
        if ((to[i] = c) == 0)
            return to + i;
        i++;
    }
}

int *__wayproof_wcsncpy(int *to, const int *from, unsigned long n)
{
    unsigned long i = 0;
    while (i < n) {
        int c = from[i];
        if (to + i == from || from + i == to)
            __wayproof_overlap();
        if (c == 0)
            break;
        to[i] = c;
        i++;
    }
    while (i < n) {
        if (to + i == from)
            __wayproof_overlap();
        to[i] = 0;
        i++;
    }
    return to;
}

int *__wayproof_wcsncat(int *to, const int *from, unsigned long n)
{
    unsigned long end = __wayproof_wcslen(to);
    unsigned long i = 0;
    while (i < n) {
        if (to + end + i == from || from + i == to + end)
            __wayproof_overlap();
        if (from[i] == 0)
            break;
        to[end + i] = from[i];
        i++;
    }
    if (i != 0 && to + end + i == from)
        __wayproof_overlap();
    to[end + i] = 0;
    return to;
}

int *__wayproof_wcscat(int *to, const int *from) { return __wayproof_wcsncat(to, from, ~0UL); }

int __wayproof_wcsncmp(const int *a, const int *b, unsigned long n)
{
    unsigned long i = 0;
    while (i < n && a[i] != 0 && a[i] == b[i])
        i++;
    return i == n || a[i] == b[i] ? 0 : a[i] < b[i] ? -1 : 1;
}

int __wayproof_wcscmp(const int *a, const int *b) { return __wayproof_wcsncmp(a, b, ~0UL); }
int __wayproof_wcscoll(const int *a, const int *b) { return __wayproof_wcsncmp(a, b, ~0UL); }

int *__wayproof_wcschr(const int *s, int c)
{
    while (*s != c) {
        if (*s == 0)
            return 0;
        s++;
    }
    return (int *)s;
}

int *__wayproof_wcsrchr(const int *s, int c)
{
    const int *last = 0;
    while (1) {
        if (*s == c)
            last = s;
        if (*s == 0)
            return (int *)last;
        s++;
    }
}

int *__wayproof_wcsstr(const int *s, const int *wanted)
{
    while (1) {
        unsigned long i = 0;
        while (wanted[i] != 0 && s[i] == wanted[i])
            i++;
        if (wanted[i] == 0)
            return (int *)s;
        if (*s == 0)
            return 0;
        s++;
    }
}

unsigned long __wayproof_wcsspn(const int *s, const int *accepted)
{
    unsigned long n = 0;
    while (s[n] != 0 && __wayproof_wcschr(accepted, s[n]) != 0)
        n++;
    return n;
}

unsigned long __wayproof_wcscspn(const int *s, const int *rejected)
{
    unsigned long n = 0;
    while (s[n] != 0 && __wayproof_wcschr(rejected, s[n]) == 0)
        n++;
    return n;
}

int *__wayproof_wcspbrk(const int *s, const int *wanted)
{
    unsigned long n = __wayproof_wcscspn(s, wanted);
    return s[n] != 0 ? (int *)s + n : 0;
}

int *__wayproof_wmemset(int *to, int c, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++)
        to[i] = c;
    return to;
}

int *__wayproof_wmemmove(int *to, const int *from, unsigned long n) { return __wayproof_memmove(to, from, n * sizeof(int)); }
int *__wayproof_wmemcpy(int *to, const int *from, unsigned long n) { return __wayproof_memcpy(to, from, n * sizeof(int)); }

int *__wayproof_wmemchr(const int *s, int c, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++)
        if (s[i] == c)
            return (int *)s + i;
    return 0;
}

int __wayproof_wmemcmp(const int *a, const int *b, unsigned long n)
{
    __wayproof_readable(a, n * sizeof *a);
    __wayproof_readable(b, n * sizeof *b);
    for (unsigned long i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}
