/* Integers from text, as glibc converts it in the "C" locale: errno is 34 (ERANGE) if the number does not fit and 22 (EINVAL) for a bad
   base, and is left alone otherwise. Names that start with `__wp_` are no library functions. */

int *__wayproof___errno_location(void);

static int __wayproof___wp_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 36;
}

/* The number as two's complement; `most` is the largest one, `beyond` the magnitude of the least one. */
static unsigned long long __wayproof___wp_integer(
    const char *s, char **end, int base, unsigned long long most, unsigned long long beyond)
{
    const char *p = s;
    unsigned long long value = 0;
    int negative = 0;
    int any = 0;
    int overflow = 0;
    if (base < 0 || base == 1 || base > 36) {
        *__wayproof___errno_location() = 22;
        return 0;
    }
    while (*p == ' ' || (*p >= 9 && *p <= 13))
        p++;
    if (*p == '-' || *p == '+') {
        negative = *p == '-';
        p++;
    }
    if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && __wayproof___wp_digit(p[2]) < 16) {
        p += 2;
        base = 16;
    } else if (base == 0)
        base = *p == '0' ? 8 : 10;
    unsigned long long limit = negative ? beyond : most;
    unsigned long long quotient = limit / (unsigned long long)base;
    unsigned long long rest = limit % (unsigned long long)base;
    while (__wayproof___wp_digit(*p) < base) {
        unsigned long long digit = (unsigned long long)__wayproof___wp_digit(*p);
        if (value > quotient || (value == quotient && digit > rest))
            overflow = 1;
        if (!overflow)
            value = value * (unsigned long long)base + digit;
        any = 1;
        p++;
    }
    if (end != 0)
        *end = (char *)(any ? p : s);
    if (overflow) {
        *__wayproof___errno_location() = 34;
        return negative && beyond != most ? 0 - beyond : most;
    }
    return negative ? 0 - value : value;
}

long __wayproof_strtol(const char *s, char **end, int base)
{
    unsigned long long most = ~0UL >> 1;
    return (long)__wayproof___wp_integer(s, end, base, most, most + 1);
}

unsigned long __wayproof_strtoul(const char *s, char **end, int base)
{
    return (unsigned long)__wayproof___wp_integer(s, end, base, ~0UL, ~0UL);
}

long long __wayproof_strtoll(const char *s, char **end, int base)
{
    return (long long)__wayproof___wp_integer(s, end, base, ~0ULL >> 1, (~0ULL >> 1) + 1);
}

unsigned long long __wayproof_strtoull(const char *s, char **end, int base)
{
    return __wayproof___wp_integer(s, end, base, ~0ULL, ~0ULL);
}

long long __wayproof_strtoimax(const char *s, char **end, int base) { return __wayproof_strtoll(s, end, base); }
unsigned long long __wayproof_strtoumax(const char *s, char **end, int base)
{
    return __wayproof_strtoull(s, end, base);
}
long long __wayproof_strtoq(const char *s, char **end, int base) { return __wayproof_strtoll(s, end, base); }
unsigned long long __wayproof_strtouq(const char *s, char **end, int base) { return __wayproof_strtoull(s, end, base); }

/* What glibc's older headers call; the last argument asks for grouping, which the locale does not have. */
long __wayproof___strtol_internal(const char *s, char **end, int base, int group)
{
    (void)group;
    return __wayproof_strtol(s, end, base);
}
unsigned long __wayproof___strtoul_internal(const char *s, char **end, int base, int group)
{
    (void)group;
    return __wayproof_strtoul(s, end, base);
}
long long __wayproof___strtoll_internal(const char *s, char **end, int base, int group)
{
    (void)group;
    return __wayproof_strtoll(s, end, base);
}
unsigned long long __wayproof___strtoull_internal(const char *s, char **end, int base, int group)
{
    (void)group;
    return __wayproof_strtoull(s, end, base);
}

int __wayproof_atoi(const char *s) { return (int)__wayproof_strtol(s, 0, 10); }
long __wayproof_atol(const char *s) { return __wayproof_strtol(s, 0, 10); }
long long __wayproof_atoll(const char *s) { return __wayproof_strtoll(s, 0, 10); }
