/* Strings and memory, byte by byte. In which order bytes are copied is nobody's affair: where source and target overlap the call is undefined.
   They do if one of them starts within the other; pointers are compared for equality, because they may lead to different objects, and after the source is read, so that it is valid. What is
   allocated comes from the program's `malloc` if it defines one, as in glibc. */

void __wayproof_readable(const void *from, unsigned long length);
void __wayproof_overlap(void);
void __wayproof_misuse(void);

/* A null pointer is no argument, even where no byte is accessed (C11 7.24.1p2). */
static void __wayproof___wp_not_null(const void *p, unsigned long n)
{
    if (n == 0 && p == 0)
        __wayproof_misuse();
}

unsigned long __wayproof_strlen(const char *s)
{
    unsigned long n = 0;
    while (s[n] != 0)
        n++;
    return n;
}

unsigned long __wayproof_strnlen(const char *s, unsigned long max)
{
    __wayproof___wp_not_null(s, max);
    unsigned long n = 0;
    while (n < max && s[n] != 0)
        n++;
    return n;
}

int __wayproof_strcmp(const char *a, const char *b)
{
    unsigned long i = 0;
    while (a[i] != 0 && a[i] == b[i])
        i++;
    return (int)(unsigned char)a[i] - (int)(unsigned char)b[i];
}

int __wayproof_strncmp(const char *a, const char *b, unsigned long n)
{
    __wayproof___wp_not_null(a, n);
    __wayproof___wp_not_null(b, n);
    unsigned long i = 0;
    while (i < n && a[i] != 0 && a[i] == b[i])
        i++;
    if (i == n)
        return 0;
    return (int)(unsigned char)a[i] - (int)(unsigned char)b[i];
}

static int __wayproof___wp_fold(char c)
{
    int value = (unsigned char)c;
    return value >= 'A' && value <= 'Z' ? value + 32 : value;
}

int __wayproof_strcasecmp(const char *a, const char *b)
{
    unsigned long i = 0;
    while (a[i] != 0 && __wayproof___wp_fold(a[i]) == __wayproof___wp_fold(b[i]))
        i++;
    return __wayproof___wp_fold(a[i]) - __wayproof___wp_fold(b[i]);
}

int __wayproof_strncasecmp(const char *a, const char *b, unsigned long n)
{
    __wayproof___wp_not_null(a, n);
    __wayproof___wp_not_null(b, n);
    unsigned long i = 0;
    while (i < n && a[i] != 0 && __wayproof___wp_fold(a[i]) == __wayproof___wp_fold(b[i]))
        i++;
    if (i == n)
        return 0;
    return __wayproof___wp_fold(a[i]) - __wayproof___wp_fold(b[i]);
}

char *__wayproof_strcpy(char *to, const char *from)
{
    unsigned long i = 0;
    while (1) {
        char c = from[i];
        if (to + i == from || from + i == to)
            __wayproof_overlap();
        if ((to[i] = c) == 0)
            return to;
        i++;
    }
}

char *__wayproof_stpcpy(char *to, const char *from)
{
    unsigned long i = 0;
    while (1) {
        char c = from[i];
        if (to + i == from || from + i == to)
            __wayproof_overlap();
        if ((to[i] = c) == 0)
            return to + i;
        i++;
    }
}

char *__wayproof_strncpy(char *to, const char *from, unsigned long n)
{
    __wayproof___wp_not_null(to, n);
    __wayproof___wp_not_null(from, n);
    unsigned long i = 0;
    while (i < n) {
        char c = from[i];
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

char *__wayproof_strcat(char *to, const char *from)
{
    unsigned long end = 0;
    unsigned long i = 0;
    while (to[end] != 0)
        end++;
    while (1) {
        if (to + end + i == from || from + i == to + end)
            __wayproof_overlap();
        if ((to[end + i] = from[i]) == 0)
            return to;
        i++;
    }
}

char *__wayproof_strncat(char *to, const char *from, unsigned long n)
{
    __wayproof___wp_not_null(from, n);
    unsigned long end = 0;
    unsigned long i = 0;
    while (to[end] != 0)
        end++;
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

char *__wayproof_strchr(const char *s, int c)
{
    while (*s != (char)c) {
        if (*s == 0)
            return 0;
        s++;
    }
    return (char *)s;
}

char *__wayproof_index(const char *s, int c)
{
    return __wayproof_strchr(s, c);
}

char *__wayproof_strrchr(const char *s, int c)
{
    const char *last = 0;
    while (1) {
        if (*s == (char)c)
            last = s;
        if (*s == 0)
            return (char *)last;
        s++;
    }
}

char *__wayproof_rindex(const char *s, int c)
{
    return __wayproof_strrchr(s, c);
}

char *__wayproof_strstr(const char *s, const char *wanted)
{
    while (1) {
        unsigned long i = 0;
        while (wanted[i] != 0 && s[i] == wanted[i])
            i++;
        if (wanted[i] == 0)
            return (char *)s;
        if (*s == 0)
            return 0;
        s++;
    }
}

unsigned long __wayproof_strspn(const char *s, const char *accepted)
{
    unsigned long n = 0;
    while (s[n] != 0 && __wayproof_strchr(accepted, s[n]) != 0)
        n++;
    return n;
}

unsigned long __wayproof_strcspn(const char *s, const char *rejected)
{
    unsigned long n = 0;
    while (s[n] != 0 && __wayproof_strchr(rejected, s[n]) == 0)
        n++;
    return n;
}

char *__wayproof_strpbrk(const char *s, const char *wanted)
{
    unsigned long n = __wayproof_strcspn(s, wanted);
    return s[n] != 0 ? (char *)s + n : 0;
}


char *__wayproof_strdup(const char *s)
{
    unsigned long length = __wayproof_strlen(s);
    char *copy = __builtin_malloc(length + 1);
    if (copy == 0)
        return 0;
    for (unsigned long i = 0; i <= length; i++)
        copy[i] = s[i];
    return copy;
}

char *__wayproof_strndup(const char *s, unsigned long n)
{
    unsigned long length = __wayproof_strnlen(s, n);
    char *copy = __builtin_malloc(length + 1);
    if (copy == 0)
        return 0;
    for (unsigned long i = 0; i < length; i++)
        copy[i] = s[i];
    copy[length] = 0;
    return copy;
}

int __wayproof_memcmp(const void *a, const void *b, unsigned long n)
{
    __wayproof___wp_not_null(a, n);
    __wayproof___wp_not_null(b, n);
    const unsigned char *left = a;
    const unsigned char *right = b;
    __wayproof_readable(a, n);
    __wayproof_readable(b, n);
    for (unsigned long i = 0; i < n; i++)
        if (left[i] != right[i])
            return (int)left[i] - (int)right[i];
    return 0;
}

int __wayproof_bcmp(const void *a, const void *b, unsigned long n)
{
    return __wayproof_memcmp(a, b, n);
}

void *__wayproof_memchr(const void *s, int c, unsigned long n)
{
    __wayproof___wp_not_null(s, n);
    const unsigned char *bytes = s;
    for (unsigned long i = 0; i < n; i++)
        if (bytes[i] == (unsigned char)c)
            return (void *)(bytes + i);
    return 0;
}

void *__wayproof_memrchr(const void *s, int c, unsigned long n)
{
    __wayproof___wp_not_null(s, n);
    const unsigned char *bytes = s;
    while (n > 0) {
        n--;
        if (bytes[n] == (unsigned char)c)
            return (void *)(bytes + n);
    }
    return 0;
}

void *__wayproof_memccpy(void *to, const void *from, int c, unsigned long n)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    for (unsigned long i = 0; i < n; i++) {
        unsigned char byte = source[i];
        if (target + i == source || source + i == target)
            __wayproof_overlap();
        target[i] = byte;
        if (byte == (unsigned char)c)
            return target + i + 1;
    }
    return 0;
}
