/* Strings and memory: what is not in every program. The "C" locale orders as the bytes do. */

void *__wayproof_memmove(void *to, const void *from, unsigned long n);
void *__wayproof_memset(void *to, int c, unsigned long n);
void __wayproof_overlap(void);
unsigned long __wayproof_strlen(const char *s);
int __wayproof_strcmp(const char *a, const char *b);
char *__wayproof_strrchr(const char *s, int c);

int __wayproof_strcoll(const char *a, const char *b) { return __wayproof_strcmp(a, b); }

unsigned long __wayproof_strxfrm(char *to, const char *from, unsigned long n)
{
    unsigned long length = __wayproof_strlen(from);
    for (unsigned long i = 0; i < n && i <= length; i++) {
        if (to + i == from || from + i == to)
            __wayproof_overlap();
        to[i] = from[i];
    }
    return length;
}

char *__wayproof_stpncpy(char *to, const char *from, unsigned long n)
{
    unsigned long length = 0;
    while (length < n) {
        char c = from[length];
        if (to + length == from || from + length == to)
            __wayproof_overlap();
        if (c == 0)
            break;
        to[length] = c;
        length++;
    }
    for (unsigned long i = length; i < n; i++) {
        if (to + i == from)
            __wayproof_overlap();
        to[i] = 0;
    }
    return to + length;
}

char *__wayproof_strchrnul(const char *s, int c)
{
    while (*s != 0 && *s != (char)c)
        s++;
    return (char *)s;
}

void *__wayproof_rawmemchr(const void *s, int c)
{
    const unsigned char *bytes = s;
    while (*bytes != (unsigned char)c)
        bytes++;
    return (void *)bytes;
}

static int __wayproof___wp_small(char c)
{
    int value = (unsigned char)c;
    return value >= 'A' && value <= 'Z' ? value + 32 : value;
}

char *__wayproof_strcasestr(const char *s, const char *wanted)
{
    while (1) {
        unsigned long i = 0;
        while (wanted[i] != 0 && __wayproof___wp_small(s[i]) == __wayproof___wp_small(wanted[i]))
            i++;
        if (wanted[i] == 0)
            return (char *)s;
        if (*s == 0)
            return 0;
        s++;
    }
}

void *__wayproof_memmem(const void *memory, unsigned long size, const void *wanted, unsigned long length)
{
    const unsigned char *bytes = memory;
    const unsigned char *pattern = wanted;
    for (unsigned long at = 0; length <= size && at <= size - length; at++) {
        unsigned long i = 0;
        while (i < length && bytes[at + i] == pattern[i])
            i++;
        if (i == length)
            return (void *)(bytes + at);
    }
    return 0;
}

void __wayproof_swab(const void *from, void *to, long n)
{
    const char *source = from;
    char *target = to;
    for (long i = 0; i + 1 < n; i += 2) {
        char first = source[i];
        char second = source[i + 1];
        if (target + i == source || source + i == target || target + i + 1 == source || source + i + 1 == target)
            __wayproof_overlap();
        target[i] = second;
        target[i + 1] = first;
    }
}

void __wayproof_bcopy(const void *from, void *to, unsigned long n) { __wayproof_memmove(to, from, n); }
void __wayproof_explicit_bzero(void *to, unsigned long n) { __wayproof_memset(to, 0, n); }

void *__wayproof_memfrob(void *memory, unsigned long n)
{
    unsigned char *bytes = memory;
    for (unsigned long i = 0; i < n; i++)
        bytes[i] ^= 42;
    return memory;
}

/* The one of <string.h>; that of <libgen.h> has another name in object files. */
char *__wayproof_basename(const char *path)
{
    char *last = __wayproof_strrchr(path, '/');
    return last != 0 ? last + 1 : (char *)path;
}
