/* Formatted text in memory, as glibc writes it in the "C" locale: conversions of integers, characters and strings; those of floats are in
   format_float.c. A conversion that is not known here (`%m`, `%ls`, positional ones) makes what follows arbitrary; a `%n` behind it is beyond the model. errno is 75 (EOVERFLOW)
   if a width, a precision or the whole text is longer than INT_MAX, and 22 (EINVAL) if the format ends within a conversion.

   Text goes to `room` bytes at `to`; `count` bytes were produced before, functions return the new count. Flags: 1 `-`, 2 `+`, 4 ` `, 8 `#`,
   16 `0`. Names that start with `__wp_` are no library functions.

   The model ends where text that is read overlaps text that is written, see string.c: glibc may empty the buffer before it reads. It also ends
   where glibc would need memory from the program's own `malloc`: `__wayproof_own_malloc` tells whether there is one. */

int *__wayproof___errno_location(void);
int __wayproof_own_malloc(void);
void __wayproof_unsupported_sprintf_overlap(void);
void __wayproof_unsupported_sprintf_allocation(void);
int __wayproof_some_printf(void);
void __wayproof_unsupported_printf(void);
unsigned char __wayproof_some_text(void);
unsigned long __wayproof_some_address(void);
void __wayproof_assume(int condition);
unsigned long __wayproof___wp_put_float(
    char *to, unsigned long room, unsigned long count, int flags, int width, int precision, char letter, int is_long,
    long double value);

/* The same character `n` times; what is beyond the room takes no time. */
unsigned long __wayproof___wp_put_same(char *to, unsigned long room, unsigned long count, char c, long n)
{
    if (n <= 0 || count > 2147483647)
        return count;
    unsigned long end = count + (unsigned long)n;
    for (unsigned long i = count; i < end && i < room; i++)
        to[i] = c;
    return end;
}

static unsigned long __wayproof___wp_put_string(
    char *to, unsigned long room, unsigned long count, int flags, int width, int precision, const char *s)
{
    unsigned long length = 0;
    if (s == 0)
        s = precision < 0 || precision >= 6 ? "(null)" : "";
    while ((precision < 0 || length < (unsigned long)precision) && s[length] != 0)
        length++;
    long missing = length < (unsigned long)width ? (long)((unsigned long)width - length) : 0;
    if ((flags & 1) == 0)
        count = __wayproof___wp_put_same(to, room, count, ' ', missing);
    if (room != 0) {
        for (unsigned long i = 0; i <= length; i++)
            if (s + i == to)
                __wayproof_unsupported_sprintf_overlap();
        for (unsigned long i = 1; i < count + length && i < room; i++)
            if (to + i == s)
                __wayproof_unsupported_sprintf_overlap();
    }
    for (unsigned long i = 0; i < length; i++) {
        if (count < room)
            to[count] = s[i];
        count++;
    }
    if ((flags & 1) != 0)
        count = __wayproof___wp_put_same(to, room, count, ' ', missing);
    return count;
}

static char __wayproof___wp_digit_of(int digit, char letter)
{
    return (char)(digit < 10 ? '0' + digit : (letter == 'X' ? 'A' : 'a') + digit - 10);
}

static unsigned long __wayproof___wp_put_integer(
    char *to, unsigned long room, unsigned long count, int flags, int width, int precision, char letter, char sign,
    unsigned long long value)
{
    char digits[24];
    int length = 0;
    unsigned int base = letter == 'o' ? 8 : letter == 'x' || letter == 'X' ? 16 : 10;
    int has_prefix = base == 16 && (flags & 8) != 0 && value != 0;
    int zero = (flags & 17) == 16 && precision < 0;
    /* The first quotient has a variable of its own: what is left of a number after it is no address. */
    if (value != 0) {
        unsigned long long rest = value / base;
        digits[0] = __wayproof___wp_digit_of((int)(value % base), letter);
        length = 1;
        while (rest != 0) {
            digits[length] = __wayproof___wp_digit_of((int)(rest % base), letter);
            length++;
            rest /= base;
        }
    }
    if (precision < 0)
        precision = 1;
    if (base == 8 && (flags & 8) != 0 && length >= precision) {
        digits[length] = '0';
        length++;
    }
    long zeros = precision > length ? precision - length : 0;
    long long rest = (long long)width - length - zeros - (has_prefix ? 2 : 0) - (sign != 0 ? 1 : 0);
    long missing = rest > 0 ? (long)rest : 0;
    if ((flags & 1) == 0 && !zero)
        count = __wayproof___wp_put_same(to, room, count, ' ', missing);
    if (sign != 0)
        count = __wayproof___wp_put_same(to, room, count, sign, 1);
    if (has_prefix) {
        count = __wayproof___wp_put_same(to, room, count, '0', 1);
        count = __wayproof___wp_put_same(to, room, count, letter, 1);
    }
    if (zero)
        count = __wayproof___wp_put_same(to, room, count, '0', missing);
    count = __wayproof___wp_put_same(to, room, count, '0', zeros);
    while (length > 0) {
        length--;
        if (count < room)
            to[count] = digits[length];
        count++;
    }
    if ((flags & 1) != 0)
        count = __wayproof___wp_put_same(to, room, count, ' ', missing);
    return count;
}

/* What a format means that is not known here: any text. */
static int __wayproof___wp_any_text(char *to, unsigned long room, unsigned long count, unsigned long size)
{
    while (count < room && __wayproof_some_printf() != 0) {
        to[count] = (char)__wayproof_some_text();
        count++;
    }
    if (size != 0)
        to[count < room ? count : room] = 0;
    return __wayproof_some_printf();
}

/* `size` is one more than the room, for the final 0; if it is 0, nothing is written. */
static int __wayproof___wp_format(char *to, unsigned long size, const char *format, __builtin_va_list list)
{
    unsigned long room = size == 0 ? 0 : size - 1;
    unsigned long count = 0;
    unsigned long compared = 0;
    int failure = 0;
    const char *start = format;
    while (*format != 0 && failure == 0) {
        /* The next byte of the format may be where the text starts, its first byte where the text has come to. */
        if (size != 0 && format == to)
            __wayproof_unsupported_sprintf_overlap();
        for (; compared <= count && compared < room; compared++)
            if (to + compared == start)
                __wayproof_unsupported_sprintf_overlap();
        if (*format != '%') {
            if (count < room)
                to[count] = *format;
            count++;
            format++;
            failure = count > 2147483647 ? 75 : 0;
            continue;
        }
        format++;
        int flags = 0;
        int width = 0;
        int precision = -1;
        int too_wide = 0;
        while (*format == '-' || *format == '+' || *format == ' ' || *format == '#' || *format == '0' || *format == '\'') {
            flags |= *format == '-' ? 1 : *format == '+' ? 2 : *format == ' ' ? 4 : *format == '#' ? 8 : *format == '0' ? 16 : 0;
            format++;
        }
        if (*format == '*') {
            width = __builtin_va_arg(list, int);
            format++;
            if (width < 0) {
                flags |= 1;
                /* One more than INT_MAX: the text is written, then the call fails. */
                too_wide = width == -2147483647 - 1;
                width = too_wide ? 2147483647 : -width;
            }
        } else {
            unsigned long long number = 0;
            while (*format >= '0' && *format <= '9') {
                number = number > 2147483647 ? number : number * 10 + (unsigned long long)(*format - '0');
                format++;
            }
            if (number > 2147483647) {
                failure = 75;
                continue;
            }
            width = (int)number;
        }
        if (*format == '.') {
            format++;
            if (*format == '*') {
                precision = __builtin_va_arg(list, int);
                format++;
                if (precision < 0)
                    precision = -1;
            } else {
                unsigned long long number = 0;
                while (*format >= '0' && *format <= '9') {
                    number = number > 2147483647 ? number : number * 10 + (unsigned long long)(*format - '0');
                    format++;
                }
                if (number > 2147483647) {
                    failure = 75;
                    continue;
                }
                precision = (int)number;
            }
        }
        if ((width > 900 || precision > 900) && __wayproof_own_malloc())
            __wayproof_unsupported_sprintf_allocation();
        /* How many bytes an integer has; 16 stands for `long double`. */
        unsigned long bytes = 4;
        int is_plain = 0;
        if (*format == 'h') {
            format++;
            bytes = 2;
            if (*format == 'h') {
                format++;
                bytes = 1;
            }
        } else if (*format == 'l') {
            format++;
            bytes = sizeof(long);
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
        } else
            is_plain = 1;
        char letter = *format;
        if (letter == 'd' || letter == 'i') {
            long long value = bytes >= 8 ? __builtin_va_arg(list, long long) : __builtin_va_arg(list, int);
            if (bytes == 1)
                value = (signed char)value;
            if (bytes == 2)
                value = (short)value;
            char sign = value < 0 ? '-' : (flags & 2) != 0 ? '+' : (flags & 4) != 0 ? ' ' : 0;
            unsigned long long magnitude = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
            count = __wayproof___wp_put_integer(to, room, count, flags, width, precision, letter, sign, magnitude);
        } else if (letter == 'u' || letter == 'x' || letter == 'X' || letter == 'o') {
            unsigned long long value =
                bytes >= 8 ? __builtin_va_arg(list, unsigned long long) : __builtin_va_arg(list, unsigned int);
            if (bytes == 1)
                value = (unsigned char)value;
            if (bytes == 2)
                value = (unsigned short)value;
            count = __wayproof___wp_put_integer(to, room, count, flags, width, precision, letter, 0, value);
        } else if (letter == 'c' && is_plain) {
            char text = (char)__builtin_va_arg(list, int);
            if ((flags & 1) == 0)
                count = __wayproof___wp_put_same(to, room, count, ' ', (long)width - 1);
            count = __wayproof___wp_put_same(to, room, count, text, 1);
            if ((flags & 1) != 0)
                count = __wayproof___wp_put_same(to, room, count, ' ', (long)width - 1);
        } else if (letter == 's' && is_plain) {
            const char *text = __builtin_va_arg(list, const char *);
            count = __wayproof___wp_put_string(to, room, count, flags, width, precision, text);
        } else if (letter == 'p' && is_plain) {
            void *pointer = __builtin_va_arg(list, void *);
            if (pointer == 0)
                count = __wayproof___wp_put_string(to, room, count, flags, width, precision < 5 ? 5 : precision, "(nil)");
            else {
                unsigned long address = __wayproof_some_address();
                __wayproof_assume(address != 0);
                char sign = (flags & 2) != 0 ? '+' : (flags & 4) != 0 ? ' ' : 0;
                count = __wayproof___wp_put_integer(to, room, count, flags | 8, width, precision, 'x', sign, address);
            }
        } else if (letter == 'n') {
            void *pointer = __builtin_va_arg(list, void *);
            if (bytes == 1)
                *(signed char *)pointer = (signed char)count;
            else if (bytes == 2)
                *(short *)pointer = (short)count;
            else if (bytes == 4)
                *(int *)pointer = (int)count;
            else
                *(long long *)pointer = (long long)count;
        } else if (letter == '%')
            count = __wayproof___wp_put_same(to, room, count, '%', 1);
        else if ((letter == 'f' || letter == 'e' || letter == 'g' || letter == 'a' || letter == 'F' || letter == 'E' ||
                  letter == 'G' || letter == 'A') && (is_plain || bytes == sizeof(long) || bytes == 16)) {
            int is_long = bytes == 16;
            long double value = is_long ? __builtin_va_arg(list, long double) : __builtin_va_arg(list, double);
            count = __wayproof___wp_put_float(to, room, count, flags, width, precision, letter, is_long, value);
        } else if (letter == 0) {
            failure = 22;
            continue;
        } else {
            for (; *format != 0; format++)
                if (*format == 'n')
                    __wayproof_unsupported_printf();
            return __wayproof___wp_any_text(to, room, count, size);
        }
        format++;
        failure = too_wide || count > 2147483647 ? 75 : 0;
    }
    if (size != 0)
        to[count < room ? count : room] = 0;
    if (failure != 0) {
        *__wayproof___errno_location() = failure;
        return -1;
    }
    return (int)count;
}

int __wayproof_vsnprintf(char *to, unsigned long size, const char *format, __builtin_va_list list)
{
    return __wayproof___wp_format(to, size, format, list);
}

int __wayproof_vsprintf(char *to, const char *format, __builtin_va_list list)
{
    return __wayproof___wp_format(to, ~0UL, format, list);
}

int __wayproof_snprintf(char *to, unsigned long size, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int result = __wayproof___wp_format(to, size, format, list);
    __builtin_va_end(list);
    return result;
}

int __wayproof_sprintf(char *to, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int result = __wayproof___wp_format(to, ~0UL, format, list);
    __builtin_va_end(list);
    return result;
}
