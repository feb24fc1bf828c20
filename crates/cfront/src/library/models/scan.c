/* Formatted input, as glibc reads it in the "C" locale. As glibc does, reading again after the end restores the errno of the first time,
   which is 0 if white space was skipped, and a byte above 127 in the format sets it to 84 (EILSEQ). Names that start with `__wp_` are no library functions.

   The model ends where the text is changed before it is read, and where glibc would need memory from the program's own `malloc`. */

int *__wayproof___errno_location(void);
int __wayproof_own_malloc(void);
void *__wayproof_malloc(unsigned long size);
void *__wayproof_realloc(void *memory, unsigned long size);
void __wayproof_free(void *memory);
void __wayproof_unsupported_sscanf_overlap(void);
void __wayproof_unsupported_scanf_allocation(void);
int __wayproof_getchar(void);
void __wayproof___wp_push_back(int c);
int __wayproof_getc(void *stream);
int __wayproof_ungetc(int c, void *stream);
int __wayproof_some_scanf(void);
void __wayproof_unsupported_scanf(void);
float __wayproof_strtof(const char *s, char **end);
double __wayproof_strtod(const char *s, char **end);
long double __wayproof_strtold(const char *s, char **end);

/* Where bytes come from: the text, or if there is none the stream, or if there is none standard input; how many were read, whether the end
   was met, and errno then. Of a text also where was written so far. */
struct __wayproof_source {
    const char *text;
    void *stream;
    long long count;
    int ended;
    int saved;
    int targets;
    char *target[16];
};

static int __wayproof___wp_next(struct __wayproof_source *in)
{
    int c = -1;
    if (in->ended) {
        *__wayproof___errno_location() = in->saved;
        return -1;
    }
    if (in->text != 0) {
        for (int i = 0; i < in->targets; i++)
            if (in->text == in->target[i])
                __wayproof_unsupported_sscanf_overlap();
        if (*in->text != 0) {
            c = (unsigned char)*in->text;
            in->text = in->text + 1;
        }
    } else if (in->stream != 0)
        c = __wayproof_getc(in->stream);
    else
        c = __wayproof_getchar();
    if (c == -1) {
        in->ended = 1;
        in->saved = *__wayproof___errno_location();
    } else
        in->count = in->count + 1;
    return c;
}

static void __wayproof___wp_back(struct __wayproof_source *in, int c)
{
    if (c == -1)
        return;
    in->count = in->count - 1;
    if (in->text != 0)
        in->text = in->text - 1;
    else if (in->stream != 0)
        __wayproof_ungetc(c, in->stream);
    else
        __wayproof___wp_push_back(c);
}

/* Bytes are about to be written. Whether they start in what is still to be read turns out when it is read. */
static void __wayproof___wp_scan_target(struct __wayproof_source *in, char *to)
{
    if (in->text == 0)
        return;
    if (in->targets == 16) {
        __wayproof_unsupported_sscanf_overlap();
        return;
    }
    in->target[in->targets] = to;
    in->targets = in->targets + 1;
}

/* One byte is about to be written behind the first: it may be the next one to read. */
static void __wayproof___wp_scan_byte(struct __wayproof_source *in, char *to)
{
    if (in->text != 0 && in->text == to)
        __wayproof_unsupported_sscanf_overlap();
}

static int __wayproof___wp_space(int c) { return c == ' ' || (c >= 9 && c <= 13); }

/* An integer of at most `width` bytes; 0 if there is none, 1 otherwise. `most` and `beyond` as in strtol.c. */
static int __wayproof___wp_scan_integer(
    struct __wayproof_source *in, int width, int base, unsigned long long most, unsigned long long beyond,
    unsigned long long *result)
{
    unsigned long long value = 0;
    int overflow = 0;
    int any = 0;
    int negative = 0;
    int c = __wayproof___wp_next(in);
    if (c == '-' || c == '+') {
        negative = c == '-';
        width--;
        c = __wayproof___wp_next(in);
    }
    if (width != 0 && c == '0') {
        any = 1;
        width--;
        c = __wayproof___wp_next(in);
        if (width != 0 && (c == 'x' || c == 'X')) {
            if (base == 0)
                base = 16;
            if (base == 16) {
                width--;
                c = __wayproof___wp_next(in);
            }
        } else if (base == 0)
            base = 8;
    }
    if (base == 0)
        base = 10;
    unsigned long long limit = negative ? beyond : most;
    while (c != -1 && width != 0) {
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
        if (digit >= base)
            break;
        any = 1;
        if (value > (limit - (unsigned long long)digit) / (unsigned long long)base)
            overflow = 1;
        if (!overflow)
            value = value * (unsigned long long)base + (unsigned long long)digit;
        width--;
        c = __wayproof___wp_next(in);
    }
    __wayproof___wp_back(in, c);
    if (overflow) {
        *__wayproof___errno_location() = 34;
        *result = negative && beyond != most ? 0 - beyond : most;
    } else
        *result = negative ? 0 - value : value;
    return any;
}

/* The bytes of a float, in memory that the caller frees; null if there is none. */
static char *__wayproof___wp_scan_float_text(struct __wayproof_source *in, int width)
{
    unsigned long size = 64;
    unsigned long length = 0;
    char *text = __wayproof_malloc(size);
    int has_sign = 0;
    int has_digit = 0;
    int has_point = 0;
    int has_exponent = 0;
    int is_hexadecimal = 0;
    int c = __wayproof___wp_next(in);
    width--;
    if (c == '-' || c == '+') {
        text[length] = (char)c;
        length++;
        has_sign = 1;
        c = width == 0 ? -1 : __wayproof___wp_next(in);
        width--;
        if (c == -1) {
            __wayproof_free(text);
            return 0;
        }
    }
    if (c == 'n' || c == 'N' || c == 'i' || c == 'I') {
        const char *word = c == 'n' || c == 'N' ? "nan" : "infinity";
        int at = 0;
        while (c == word[at] || c == word[at] - 32) {
            text[length] = (char)c;
            length++;
            at++;
            if (word[at] == 0 || width == 0) {
                c = -1;
                break;
            }
            c = __wayproof___wp_next(in);
            width--;
        }
        text[length] = 0;
        /* Only `inf` may be followed by something else. */
        if (at == 3 && word[at] != 0)
            __wayproof___wp_back(in, c);
        else if (word[at] != 0) {
            __wayproof_free(text);
            return 0;
        }
        return text;
    }
    if (width != 0 && c == '0') {
        text[length] = (char)c;
        length++;
        c = __wayproof___wp_next(in);
        width--;
        if (width != 0 && (c == 'x' || c == 'X')) {
            text[length] = (char)c;
            length++;
            is_hexadecimal = 1;
            c = __wayproof___wp_next(in);
            width--;
        } else
            has_digit = 1;
    }
    char letter = is_hexadecimal ? 'p' : 'e';
    while (1) {
        int is_digit = c >= '0' && c <= '9';
        if (is_hexadecimal && !has_exponent && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')))
            is_digit = 1;
        if (is_digit)
            has_digit = 1;
        else if (has_exponent && length > 0 && text[length - 1] == letter && (c == '-' || c == '+'))
            ;
        else if (has_digit && !has_exponent && (c == letter || c == letter - 32)) {
            c = letter;
            has_exponent = 1;
            has_point = 1;
        } else if (!has_point && c == '.')
            has_point = 1;
        else {
            __wayproof___wp_back(in, c);
            break;
        }
        if (length + 1 == size) {
            size *= 2;
            text = __wayproof_realloc(text, size);
            if (size > 512 && __wayproof_own_malloc())
                __wayproof_unsupported_scanf_allocation();
        }
        text[length] = (char)c;
        length++;
        if (width == 0)
            break;
        c = __wayproof___wp_next(in);
        if (c == -1)
            break;
        width--;
    }
    text[length] = 0;
    if (length == (unsigned long)has_sign || (is_hexadecimal && length == 2 + (unsigned long)has_sign)) {
        __wayproof_free(text);
        return 0;
    }
    return text;
}

/* Marks the bytes of a set in `is_in` and returns what follows it in the format, or null if it does not end. */
static const char *__wayproof___wp_scan_set(const char *format, unsigned char *is_in)
{
    int inside = 1;
    if (*format == '^') {
        inside = 0;
        format++;
    }
    for (int i = 0; i < 256; i++)
        is_in[i] = (unsigned char)!inside;
    if (*format == ']' || *format == '-') {
        is_in[(unsigned char)*format] = (unsigned char)inside;
        format++;
    }
    while (*format != 0 && *format != ']') {
        unsigned char c = (unsigned char)*format;
        format++;
        if (c == '-' && *format != 0 && *format != ']' && (unsigned char)format[-2] <= (unsigned char)*format) {
            for (int i = (unsigned char)format[-2]; i < (unsigned char)*format; i++)
                is_in[i] = (unsigned char)inside;
        } else
            is_in[c] = (unsigned char)inside;
    }
    return *format == 0 ? 0 : format + 1;
}

/* Bytes of a set (all but white space if there is none) into `to`, which may be null; how many. */
static long __wayproof___wp_scan_bytes(struct __wayproof_source *in, int width, unsigned char *is_in, char *to)
{
    long length = 0;
    while (width != 0) {
        int c = __wayproof___wp_next(in);
        if (c == -1)
            break;
        if (is_in != 0 ? !is_in[c] : __wayproof___wp_space(c)) {
            __wayproof___wp_back(in, c);
            break;
        }
        if (to != 0) {
            __wayproof___wp_scan_byte(in, to + length);
            to[length] = (char)c;
        }
        length++;
        width--;
    }
    return length;
}

/* A number is about to be written. */
static void __wayproof___wp_scan_number(struct __wayproof_source *in, void *to, unsigned long bytes)
{
    if (in->text == 0)
        return;
    __wayproof___wp_scan_target(in, to);
    for (unsigned long i = 0; i < bytes; i++)
        __wayproof___wp_scan_byte(in, (char *)to + i);
}

static void __wayproof___wp_scan_store(struct __wayproof_source *in, void *to, unsigned long bytes, unsigned long long value)
{
    __wayproof___wp_scan_number(in, to, bytes);
    if (bytes == 1)
        *(unsigned char *)to = (unsigned char)value;
    else if (bytes == 2)
        *(unsigned short *)to = (unsigned short)value;
    else if (bytes == 4)
        *(unsigned int *)to = (unsigned int)value;
    else
        *(unsigned long long *)to = value;
}

static int __wayproof___wp_scan(struct __wayproof_source *in, const char *format, __builtin_va_list list)
{
    int done = 0;
    int skips = 0;
    int c = 0;
    unsigned char is_in[256];
    while (*format != 0) {
        if (__wayproof___wp_space((unsigned char)*format)) {
            skips = 1;
            format++;
            continue;
        }
        if ((unsigned char)*format > 127)
            *__wayproof___errno_location() = 84;
        if (*format != '%') {
            c = __wayproof___wp_next(in);
            while (skips && __wayproof___wp_space(c))
                c = __wayproof___wp_next(in);
            skips = 0;
            if (c == -1)
                return done == 0 ? -1 : done;
            if (c != (unsigned char)*format) {
                __wayproof___wp_back(in, c);
                return done;
            }
            format++;
            continue;
        }
        format++;
        int stores = 1;
        while (*format == '*' || *format == '\'') {
            if (*format == '*')
                stores = 0;
            format++;
        }
        int width = 0;
        while (*format >= '0' && *format <= '9') {
            width = width > 200000000 ? 2147483647 : width * 10 + (*format - '0');
            format++;
        }
        if (width == 0)
            width = -1;
        /* How many bytes an integer has; 16 stands for `ll` and `L`. */
        unsigned long bytes = 4;
        if (*format == 'h') {
            format++;
            bytes = 2;
            if (*format == 'h') {
                format++;
                bytes = 1;
            }
        } else if (*format == 'l') {
            format++;
            bytes = sizeof(long) + 16;
            if (*format == 'l') {
                format++;
                bytes = 16;
            }
        } else if (*format == 'z' || *format == 'Z' || *format == 't') {
            format++;
            bytes = sizeof(long);
        } else if (*format == 'j') {
            format++;
            bytes = 8;
        } else if (*format == 'L' || *format == 'q') {
            format++;
            bytes = 16;
        }
        char letter = *format;
        if (letter == 0)
            return done;
        format++;
        if (skips || (letter != '[' && letter != 'c' && letter != 'C' && letter != 'n')) {
            int saved = *__wayproof___errno_location();
            *__wayproof___errno_location() = 0;
            c = __wayproof___wp_next(in);
            while (__wayproof___wp_space(c))
                c = __wayproof___wp_next(in);
            *__wayproof___errno_location() = saved;
            __wayproof___wp_back(in, c);
            skips = 0;
        }
        if (letter == 'n') {
            if (stores)
                __wayproof___wp_scan_store(in, __builtin_va_arg(list, void *), bytes & 15 ? bytes & 15 : 8, (unsigned long long)in->count);
            continue;
        }
        if (letter == '%') {
            c = __wayproof___wp_next(in);
            if (c == -1)
                return done == 0 ? -1 : done;
            if (c != '%') {
                __wayproof___wp_back(in, c);
                return done;
            }
            continue;
        }
        const char *after = format;
        if (letter == '[') {
            after = __wayproof___wp_scan_set(format, is_in);
            if (after == 0)
                return done;
        }
        int is_integer = letter == 'd' || letter == 'i' || letter == 'u' || letter == 'o' || letter == 'x' || letter == 'X';
        int is_float = letter == 'f' || letter == 'e' || letter == 'g' || letter == 'a' || letter == 'F' || letter == 'E' ||
            letter == 'G' || letter == 'A';
        int is_text = (letter == 's' || letter == 'c' || letter == '[') && bytes == 4;
        if (!is_integer && !is_float && !is_text) {
            __wayproof_unsupported_scanf();
            return __wayproof_some_scanf();
        }
        c = __wayproof___wp_next(in);
        if (c == -1)
            return done == 0 ? -1 : done;
        __wayproof___wp_back(in, c);
        if (is_integer) {
            unsigned long long value;
            unsigned long size = bytes == 16 ? 8 : bytes & 15;
            int base = letter == 'i' ? 0 : letter == 'o' ? 8 : letter == 'x' || letter == 'X' ? 16 : 10;
            unsigned long long most = size == 8 ? ~0ULL : ~0UL;
            int is_signed = letter == 'd' || letter == 'i';
            if (is_signed)
                most /= 2;
            if (!__wayproof___wp_scan_integer(in, width, base, most, is_signed ? most + 1 : most, &value))
                return done;
            if (stores)
                __wayproof___wp_scan_store(in, __builtin_va_arg(list, void *), size, value);
        } else if (is_float) {
            char *text = __wayproof___wp_scan_float_text(in, width);
            char *end = text;
            if (text == 0)
                return done;
            long double wide = 0;
            double middle = 0;
            float narrow = 0;
            if (bytes == 16)
                wide = __wayproof_strtold(text, &end);
            else if (bytes == sizeof(long) + 16)
                middle = __wayproof_strtod(text, &end);
            else
                narrow = __wayproof_strtof(text, &end);
            int is_number = end != text;
            __wayproof_free(text);
            if (!is_number)
                return done;
            if (stores) {
                void *to = __builtin_va_arg(list, void *);
                if (bytes == 16) {
                    __wayproof___wp_scan_number(in, to, sizeof(long double));
                    *(long double *)to = wide;
                } else if (bytes == sizeof(long) + 16) {
                    __wayproof___wp_scan_number(in, to, sizeof(double));
                    *(double *)to = middle;
                } else {
                    __wayproof___wp_scan_number(in, to, sizeof(float));
                    *(float *)to = narrow;
                }
            }
        } else {
            char *to = stores ? __builtin_va_arg(list, char *) : 0;
            if (stores)
                __wayproof___wp_scan_target(in, to);
            if (letter == 'c') {
                for (int i = 0; i < 256; i++)
                    is_in[i] = 1;
                __wayproof___wp_scan_bytes(in, width < 0 ? 1 : width, is_in, to);
            } else {
                long length = __wayproof___wp_scan_bytes(in, width, letter == '[' ? is_in : 0, to);
                if (length == 0)
                    return done;
                if (stores) {
                    __wayproof___wp_scan_byte(in, to + length);
                    to[length] = 0;
                }
            }
            format = after;
        }
        if (stores)
            done++;
    }
    if (skips) {
        c = __wayproof___wp_next(in);
        while (__wayproof___wp_space(c))
            c = __wayproof___wp_next(in);
        __wayproof___wp_back(in, c);
    }
    return done;
}

int __wayproof_vsscanf(const char *text, const char *format, __builtin_va_list list)
{
    struct __wayproof_source in;
    in.text = text;
    in.stream = 0;
    in.count = 0;
    in.ended = 0;
    in.saved = 0;
    in.targets = 0;
    return __wayproof___wp_scan(&in, format, list);
}

int __wayproof_vfscanf(void *stream, const char *format, __builtin_va_list list)
{
    struct __wayproof_source in;
    in.text = 0;
    in.stream = stream;
    in.count = 0;
    in.ended = 0;
    in.saved = 0;
    in.targets = 0;
    return __wayproof___wp_scan(&in, format, list);
}

int __wayproof_vscanf(const char *format, __builtin_va_list list)
{
    return __wayproof_vfscanf(0, format, list);
}

int __wayproof___isoc99_vsscanf(const char *text, const char *format, __builtin_va_list list)
{
    return __wayproof_vsscanf(text, format, list);
}

int __wayproof___isoc99_vfscanf(void *stream, const char *format, __builtin_va_list list)
{
    return __wayproof_vfscanf(stream, format, list);
}

int __wayproof___isoc99_vscanf(const char *format, __builtin_va_list list)
{
    return __wayproof_vfscanf(0, format, list);
}

int __wayproof_sscanf(const char *text, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int result = __wayproof_vsscanf(text, format, list);
    __builtin_va_end(list);
    return result;
}

int __wayproof_fscanf(void *stream, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int result = __wayproof_vfscanf(stream, format, list);
    __builtin_va_end(list);
    return result;
}

int __wayproof_scanf(const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int result = __wayproof_vfscanf(0, format, list);
    __builtin_va_end(list);
    return result;
}

int __wayproof___isoc99_sscanf(const char *text, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int result = __wayproof_vsscanf(text, format, list);
    __builtin_va_end(list);
    return result;
}

int __wayproof___isoc99_fscanf(void *stream, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int result = __wayproof_vfscanf(stream, format, list);
    __builtin_va_end(list);
    return result;
}

int __wayproof___isoc99_scanf(const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int result = __wayproof_vfscanf(0, format, list);
    __builtin_va_end(list);
    return result;
}
