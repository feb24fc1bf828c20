/* Multibyte characters of the "C" locale: one byte each, and 84 (EILSEQ) above 127. */

int *__wayproof___errno_location(void);
void __wayproof_overlap(void);

/* Whether a byte is one of those of a wide character. */
static int __wayproof___wp_is_within(const char *byte, const int *wide)
{
    const char *first = (const char *)wide;
    return byte == first || byte == first + 1 || byte == first + 2 || byte == first + 3;
}

static int __wayproof___wp_no_character(void)
{
    *__wayproof___errno_location() = 84;
    return -1;
}

int __wayproof_mbtowc(int *to, const char *s, unsigned long n)
{
    if (s == 0)
        return 0;
    if (n == 0 && *s != 0)
        return -1;
    if ((unsigned char)*s > 127)
        return __wayproof___wp_no_character();
    if (to != 0)
        *to = *s;
    return *s != 0;
}

int __wayproof_mblen(const char *s, unsigned long n) { return __wayproof_mbtowc(0, s, n); }

int __wayproof_wctomb(char *to, int c)
{
    if (to == 0)
        return 0;
    if (c < 0 || c > 127)
        return __wayproof___wp_no_character();
    *to = (char)c;
    return 1;
}

unsigned long __wayproof_mbstowcs(int *to, const char *s, unsigned long n)
{
    unsigned long count = 0;
    while (to == 0 || count < n) {
        if (to != 0 && (__wayproof___wp_is_within(s, to + count) || s + count == (const char *)to))
            __wayproof_overlap();
        if ((unsigned char)s[count] > 127)
            return (unsigned long)__wayproof___wp_no_character();
        if (to != 0)
            to[count] = s[count];
        if (s[count] == 0)
            return count;
        count++;
    }
    return count;
}

unsigned long __wayproof_wcstombs(char *to, const int *s, unsigned long n)
{
    unsigned long count = 0;
    while (to == 0 || count < n) {
        if (to != 0 && (__wayproof___wp_is_within(to, s + count) || to + count == (const char *)s))
            __wayproof_overlap();
        if (s[count] < 0 || s[count] > 127)
            return (unsigned long)__wayproof___wp_no_character();
        if (to != 0)
            to[count] = (char)s[count];
        if (s[count] == 0)
            return count;
        count++;
    }
    return count;
}

/* No byte is only a part of a character, so there is no state. */
unsigned long __wayproof_mbrtowc(int *to, const char *s, unsigned long n, void *state)
{
    (void)state;
    if (s == 0)
        return 0;
    if (n == 0)
        return ~0UL - 1;
    return (unsigned long)__wayproof_mbtowc(to, s, n);
}

unsigned long __wayproof_mbrlen(const char *s, unsigned long n, void *state)
{
    return __wayproof_mbrtowc(0, s, n, state);
}

unsigned long __wayproof_wcrtomb(char *to, int c, void *state)
{
    (void)state;
    return to == 0 ? 1 : (unsigned long)__wayproof_wctomb(to, c);
}

int __wayproof_mbsinit(const void *state)
{
    (void)state;
    return 1;
}

int __wayproof_btowc(int c) { return c >= 0 && c <= 127 ? c : -1; }
int __wayproof_wctob(int c) { return c >= 0 && c <= 127 ? c : -1; }
