/* What calls become with _FORTIFY_SOURCE: the size of the object is known, and writing beyond it ends the program. Formats are taken to be
   literals: one with `%n` in memory that can be written is not refused here. */

void *__wayproof_memcpy(void *to, const void *from, unsigned long n);
void *__wayproof_memmove(void *to, const void *from, unsigned long n);
void *__wayproof_memset(void *to, int c, unsigned long n);
void __wayproof_abort(void);
unsigned long __wayproof_strlen(const char *s);
unsigned long __wayproof_strnlen(const char *s, unsigned long max);
char *__wayproof_stpcpy(char *to, const char *from);
char *__wayproof_strncpy(char *to, const char *from, unsigned long n);
char *__wayproof_strncat(char *to, const char *from, unsigned long n);
char *__wayproof_stpncpy(char *to, const char *from, unsigned long n);

void *__wayproof___memcpy_chk(void *to, const void *from, unsigned long n, unsigned long object)
{
    if (n > object)
        __wayproof_abort();
    return __wayproof_memcpy(to, from, n);
}

void *__wayproof___memmove_chk(void *to, const void *from, unsigned long n, unsigned long object)
{
    if (n > object)
        __wayproof_abort();
    return __wayproof_memmove(to, from, n);
}

void *__wayproof___mempcpy_chk(void *to, const void *from, unsigned long n, unsigned long object)
{
    if (n > object)
        __wayproof_abort();
    __wayproof_memcpy(to, from, n);
    return (char *)to + n;
}

void *__wayproof___memset_chk(void *to, int c, unsigned long n, unsigned long object)
{
    if (n > object)
        __wayproof_abort();
    return __wayproof_memset(to, c, n);
}

void __wayproof___explicit_bzero_chk(void *to, unsigned long n, unsigned long object)
{
    if (n > object)
        __wayproof_abort();
    __wayproof_memset(to, 0, n);
}

char *__wayproof___stpcpy_chk(char *to, const char *from, unsigned long object)
{
    unsigned long length = __wayproof_strlen(from);
    if (length >= object)
        __wayproof_abort();
    return __wayproof_stpcpy(to, from);
}

char *__wayproof___strcpy_chk(char *to, const char *from, unsigned long object)
{
    __wayproof___stpcpy_chk(to, from, object);
    return to;
}

char *__wayproof___strncpy_chk(char *to, const char *from, unsigned long n, unsigned long object)
{
    if (n > object)
        __wayproof_abort();
    return __wayproof_strncpy(to, from, n);
}

char *__wayproof___stpncpy_chk(char *to, const char *from, unsigned long n, unsigned long object)
{
    if (n > object)
        __wayproof_abort();
    return __wayproof_stpncpy(to, from, n);
}

char *__wayproof___strncat_chk(char *to, const char *from, unsigned long n, unsigned long object)
{
    unsigned long start = __wayproof_strlen(to);
    unsigned long length = __wayproof_strnlen(from, n);
    if (start >= object || length >= object - start)
        __wayproof_abort();
    return __wayproof_strncat(to, from, n);
}

char *__wayproof___strcat_chk(char *to, const char *from, unsigned long object)
{
    return __wayproof___strncat_chk(to, from, ~0UL, object);
}
