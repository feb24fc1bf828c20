/* Character classes of the "C" locale. The standard says "not zero"; glibc returns the bits below, so do we. Compilers replace calls of
   `isdigit` by a comparison, whose result is 1: both are possible. */
_Bool __wayproof_world_isdigit(void);

int __wayproof_isupper(int c) { return c >= 'A' && c <= 'Z' ? 256 : 0; }
int __wayproof_islower(int c) { return c >= 'a' && c <= 'z' ? 512 : 0; }
int __wayproof_isalpha(int c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ? 1024 : 0; }
static int __wayproof___wp_isdigit(int c) { return c >= '0' && c <= '9' ? 2048 : 0; }
int __wayproof_isdigit(int c) { return __wayproof___wp_isdigit(c) == 0 ? 0 : __wayproof_world_isdigit() ? 2048 : 1; }
int __wayproof_isxdigit(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f') ? 4096 : 0;
}
int __wayproof_isspace(int c) { return c == ' ' || (c >= 9 && c <= 13) ? 8192 : 0; }
int __wayproof_isprint(int c) { return c >= 32 && c <= 126 ? 16384 : 0; }
int __wayproof_isgraph(int c) { return c >= 33 && c <= 126 ? 32768 : 0; }
int __wayproof_isblank(int c) { return c == ' ' || c == 9 ? 1 : 0; }
int __wayproof_iscntrl(int c) { return (c >= 0 && c <= 31) || c == 127 ? 2 : 0; }
int __wayproof_isalnum(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ? 8 : 0;
}
int __wayproof_ispunct(int c) { return c >= 33 && c <= 126 && __wayproof_isalnum(c) == 0 ? 4 : 0; }
int __wayproof_isascii(int c) { return c >= 0 && c <= 127; }
int __wayproof_toascii(int c) { return c & 127; }
/* A `char` that is negative, but not -1 (EOF), becomes that of `unsigned char`: so glibc's tables say. */
int __wayproof_tolower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c >= -128 && c <= -2 ? c + 256 : c; }
int __wayproof_toupper(int c) { return c >= 'a' && c <= 'z' ? c - 32 : c >= -128 && c <= -2 ? c + 256 : c; }

/* The table behind glibc's macros: indices -128 to 255. */
static unsigned short __wayproof_classes[384];
static const unsigned short *__wayproof_class_pointer;

const unsigned short **__wayproof___ctype_b_loc(void)
{
    if (__wayproof_class_pointer == 0) {
        for (int c = 0; c <= 127; c++)
            __wayproof_classes[c + 128] = (unsigned short)(
                __wayproof_isupper(c) | __wayproof_islower(c) | __wayproof_isalpha(c) | __wayproof___wp_isdigit(c) |
                __wayproof_isxdigit(c) | __wayproof_isspace(c) | __wayproof_isprint(c) | __wayproof_isgraph(c) |
                __wayproof_isblank(c) | __wayproof_iscntrl(c) | __wayproof_ispunct(c) | __wayproof_isalnum(c));
        __wayproof_class_pointer = __wayproof_classes + 128;
    }
    return &__wayproof_class_pointer;
}

static int __wayproof_lower[384];
static const int *__wayproof_lower_pointer;

const int **__wayproof___ctype_tolower_loc(void)
{
    if (__wayproof_lower_pointer == 0) {
        for (int c = -128; c <= 255; c++)
            __wayproof_lower[c + 128] = __wayproof_tolower(c);
        __wayproof_lower_pointer = __wayproof_lower + 128;
    }
    return &__wayproof_lower_pointer;
}

static int __wayproof_upper[384];
static const int *__wayproof_upper_pointer;

const int **__wayproof___ctype_toupper_loc(void)
{
    if (__wayproof_upper_pointer == 0) {
        for (int c = -128; c <= 255; c++)
            __wayproof_upper[c + 128] = __wayproof_toupper(c);
        __wayproof_upper_pointer = __wayproof_upper + 128;
    }
    return &__wayproof_upper_pointer;
}
