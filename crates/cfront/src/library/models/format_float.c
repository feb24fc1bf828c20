/* Floats as text; see format.c. Conversions are exact, ties go to the even digit. */

void *__wayproof_malloc(unsigned long size);
void __wayproof_free(void *memory);
void __wayproof___wp_decimal_multiply(unsigned int *words, int *range, int bits);
void __wayproof___wp_decimal_divide(unsigned int *words, int *range, int bits);
unsigned long __wayproof___wp_put_same(char *to, unsigned long room, unsigned long count, char c, long n);

/* The bytes of the two formats; the significand of a `long double` has 64 bits, the highest is that of the whole. */
union __wayproof_float {
    long double value;
    double narrow;
    unsigned long long bits;
    unsigned short parts[5];
};

static unsigned int __wayproof___wp_power(long long exponent)
{
    unsigned int power = 1;
    while (exponent > 0) {
        power *= 10;
        exponent--;
    }
    return power;
}

/* The word with the digit that has the weight 10^place. */
static long long __wayproof___wp_word_of(int point, long long place)
{
    return place >= 0 ? point - place / 9 : point + (8 - place) / 9;
}

static int __wayproof___wp_decimal_digit(unsigned int *words, int *range, int point, long long place)
{
    long long at = __wayproof___wp_word_of(point, place);
    if (at < range[0] || at > range[1])
        return 0;
    return (int)(words[at] / __wayproof___wp_power(place - 9 * (point - at)) % 10);
}

/* The place of the first digit; 0 for the number 0. */
static int __wayproof___wp_decimal_top(unsigned int *words, int *range, int point)
{
    int place = 9 * (point - range[0]);
    unsigned int word = words[range[0]];
    if (word == 0)
        return 0;
    while (word >= 10) {
        word /= 10;
        place++;
    }
    return place;
}

/* Rounds to a multiple of 10^place; digits behind it remain and have no meaning any more. */
static void __wayproof___wp_decimal_round(unsigned int *words, int *range, int point, long long place)
{
    long long at = __wayproof___wp_word_of(point, place - 1);
    if (at > range[1] || at < range[0])
        return;
    unsigned int unit = __wayproof___wp_power(place - 1 - 9 * (point - at));
    int next = (int)(words[at] / unit % 10);
    int more = words[at] % unit != 0;
    for (long long i = at + 1; i <= range[1] && !more; i++)
        more = words[i] != 0;
    if (next < 5 || (next == 5 && !more && __wayproof___wp_decimal_digit(words, range, point, place) % 2 == 0))
        return;
    at = __wayproof___wp_word_of(point, place);
    unit = __wayproof___wp_power(place - 9 * (point - at));
    while (range[0] > at) {
        range[0] = range[0] - 1;
        words[range[0]] = 0;
    }
    words[at] += unit;
    while (words[at] >= 1000000000) {
        words[at] -= 1000000000;
        at--;
        if (at < range[0]) {
            range[0] = (int)at;
            words[at] = 0;
        }
        words[at]++;
    }
}

/* A part of a number: digits from `first` down to `last`. */
static unsigned long __wayproof___wp_put_digits(
    char *to, unsigned long room, unsigned long count, unsigned int *words, int *range, int point, long long first,
    long long last)
{
    long long known = 9LL * (point - range[1]);
    for (long long place = first; place >= last && place >= known; place--) {
        if (count < room)
            to[count] = (char)('0' + __wayproof___wp_decimal_digit(words, range, point, place));
        count++;
    }
    if (first > known - 1)
        first = known - 1;
    return first < last ? count : __wayproof___wp_put_same(to, room, count, '0', (long)(first - last + 1));
}

/* Quotients and remainders are no addresses, so what is computed from this number needs no guard. */
static unsigned long long __wayproof___wp_plain_number(unsigned long long x)
{
    return x / 4294967296ULL * 4294967296ULL + x % 4294967296ULL;
}

/* At least two digits for decimal exponents, one for those of 2. */
static unsigned long __wayproof___wp_put_exponent(
    char *to, unsigned long room, unsigned long count, char letter, int exponent, int least)
{
    char digits[8];
    int length = 0;
    unsigned int rest = exponent < 0 ? 0u - (unsigned int)exponent : (unsigned int)exponent;
    while (rest != 0 || length < least) {
        digits[length] = (char)('0' + rest % 10);
        rest /= 10;
        length++;
    }
    count = __wayproof___wp_put_same(to, room, count, letter, 1);
    count = __wayproof___wp_put_same(to, room, count, exponent < 0 ? '-' : '+', 1);
    while (length > 0) {
        length--;
        count = __wayproof___wp_put_same(to, room, count, digits[length], 1);
    }
    return count;
}

static int __wayproof___wp_exponent_length(int exponent, int least)
{
    int magnitude = exponent < 0 ? -exponent : exponent;
    int length = magnitude >= 10000 ? 5 : magnitude >= 1000 ? 4 : magnitude >= 100 ? 3 : magnitude >= 10 ? 2 : 1;
    return 2 + (length < least ? least : length);
}

/* `%a`: `leading` in front of the point, `digits` hexadecimal digits of `fraction` behind it. */
static unsigned long __wayproof___wp_put_hexadecimal(
    char *to, unsigned long room, unsigned long count, int flags, int width, int precision, int is_upper, char sign,
    unsigned int leading, unsigned long long fraction, int digits, int exponent)
{
    long zeros = 0;
    if (precision < 0) {
        while (digits > 0 && fraction % 16 == 0) {
            fraction /= 16;
            digits--;
        }
    } else if (precision < digits) {
        int dropped = 4 * (digits - precision);
        unsigned long long rest = fraction & ((1ULL << dropped) - 1);
        unsigned long long half = 1ULL << (dropped - 1);
        fraction >>= dropped;
        digits = precision;
        int is_odd = (digits > 0 ? (int)(fraction % 2) : (int)(leading % 2)) != 0;
        if (rest > half || (rest == half && is_odd)) {
            fraction++;
            if (fraction >> (4 * digits) != 0) {
                fraction = 0;
                leading++;
                if (leading == 16) {
                    leading = 1;
                    exponent += 4;
                }
            }
        }
    } else
        zeros = precision - digits;
    int has_point = digits > 0 || zeros > 0 || (flags & 8) != 0;
    long long length = 3LL + (sign != 0) + has_point + digits + zeros + __wayproof___wp_exponent_length(exponent, 1);
    long missing = width > length ? (long)(width - length) : 0;
    if ((flags & 17) == 0)
        count = __wayproof___wp_put_same(to, room, count, ' ', missing);
    if (sign != 0)
        count = __wayproof___wp_put_same(to, room, count, sign, 1);
    count = __wayproof___wp_put_same(to, room, count, '0', 1);
    count = __wayproof___wp_put_same(to, room, count, is_upper ? 'X' : 'x', 1);
    if ((flags & 17) == 16)
        count = __wayproof___wp_put_same(to, room, count, '0', missing);
    char ten = (char)(is_upper ? 'A' - 10 : 'a' - 10);
    count = __wayproof___wp_put_same(to, room, count, (char)((leading < 10 ? '0' : ten) + (int)leading), 1);
    if (has_point)
        count = __wayproof___wp_put_same(to, room, count, '.', 1);
    while (digits > 0) {
        digits--;
        int digit = (int)(fraction >> (4 * digits) & 15);
        count = __wayproof___wp_put_same(to, room, count, (char)((digit < 10 ? '0' : ten) + digit), 1);
    }
    count = __wayproof___wp_put_same(to, room, count, '0', zeros);
    count = __wayproof___wp_put_exponent(to, room, count, is_upper ? 'P' : 'p', exponent, 1);
    if ((flags & 1) != 0)
        count = __wayproof___wp_put_same(to, room, count, ' ', missing);
    return count;
}

/* `%f`, `%e` and `%g` of significand * 2^exponent. The caller gives as many words as all digits need. */
static unsigned long __wayproof___wp_put_decimal(
    char *to, unsigned long room, unsigned long count, int flags, int width, int precision, int kind, int is_upper,
    char sign, unsigned long long significand, int exponent, unsigned int *words, int point)
{
    int range[2];
    int scientific = kind == 'e';
    range[0] = point - 2;
    range[1] = point;
    words[point] = (unsigned int)(significand % 1000000000);
    words[point - 1] = (unsigned int)(significand / 1000000000 % 1000000000);
    words[point - 2] = (unsigned int)(significand / 1000000000 / 1000000000);
    while (range[0] < point && words[range[0]] == 0)
        range[0] = range[0] + 1;
    while (exponent > 0) {
        int bits = exponent < 29 ? exponent : 29;
        __wayproof___wp_decimal_multiply(words, range, bits);
        exponent -= bits;
    }
    while (exponent < 0) {
        int bits = exponent > -9 ? -exponent : 9;
        __wayproof___wp_decimal_divide(words, range, bits);
        exponent += bits;
    }
    if (precision < 0)
        precision = 6;
    if (kind == 'g' && precision == 0)
        precision = 1;
    int top = __wayproof___wp_decimal_top(words, range, point);
    int unrounded = top;
    long long last = kind == 'f' ? -(long long)precision : kind == 'e' ? (long long)top - precision : top - (precision - 1LL);
    __wayproof___wp_decimal_round(words, range, point, last);
    top = __wayproof___wp_decimal_top(words, range, point);
    if (kind == 'e')
        last = (long long)top - precision;
    if (kind == 'g') {
        scientific = top < -4 || top >= precision;
        last = top - (precision - 1LL);
        if ((flags & 8) == 0) {
            long long known = 9LL * (point - range[1]);
            if (last < known)
                last = known;
            while (last < (scientific ? top : 0) && __wayproof___wp_decimal_digit(words, range, point, last) == 0)
                last++;
        }
        /* glibc drops the digits if rounding alone asks for an exponent. */
        if (last > (scientific ? top : 0) || (scientific && top == precision && top != unrounded))
            last = scientific ? top : 0;
    }
    int first = scientific ? top : top > 0 ? top : 0;
    int ones = scientific ? top : 0;
    int has_point = last < ones || (flags & 8) != 0;
    long long length = (first - last + 1) + (sign != 0) + has_point;
    if (scientific)
        length += __wayproof___wp_exponent_length(top, 2);
    long missing = width > length ? (long)(width - length) : 0;
    if ((flags & 17) == 0)
        count = __wayproof___wp_put_same(to, room, count, ' ', missing);
    if (sign != 0)
        count = __wayproof___wp_put_same(to, room, count, sign, 1);
    if ((flags & 17) == 16)
        count = __wayproof___wp_put_same(to, room, count, '0', missing);
    count = __wayproof___wp_put_digits(to, room, count, words, range, point, first, ones);
    if (has_point)
        count = __wayproof___wp_put_same(to, room, count, '.', 1);
    count = __wayproof___wp_put_digits(to, room, count, words, range, point, ones - 1LL, last);
    if (scientific)
        count = __wayproof___wp_put_exponent(to, room, count, is_upper ? 'E' : 'e', top, 2);
    if ((flags & 1) != 0)
        count = __wayproof___wp_put_same(to, room, count, ' ', missing);
    return count;
}

unsigned long __wayproof___wp_put_float(
    char *to, unsigned long room, unsigned long count, int flags, int width, int precision, char letter, int is_long,
    long double value)
{
    union __wayproof_float bytes;
    unsigned int words[160];
    bytes.value = value;
    int is_upper = letter < 'a';
    int kind = is_upper ? letter + 32 : letter;
    unsigned long long significand = __wayproof___wp_plain_number(bytes.bits);
    int exponent = bytes.parts[4] & 32767;
    char sign = bytes.parts[4] >> 15 != 0 ? '-' : (flags & 2) != 0 ? '+' : (flags & 4) != 0 ? ' ' : 0;
    if (exponent == 32767) {
        const char *name = significand << 1 == 0 ? (is_upper ? "INF" : "inf") : is_upper ? "NAN" : "nan";
        long missing = (long)width - 3 - (sign != 0);
        if ((flags & 1) == 0)
            count = __wayproof___wp_put_same(to, room, count, ' ', missing);
        if (sign != 0)
            count = __wayproof___wp_put_same(to, room, count, sign, 1);
        for (int i = 0; i < 3; i++)
            count = __wayproof___wp_put_same(to, room, count, name[i], 1);
        if ((flags & 1) != 0)
            count = __wayproof___wp_put_same(to, room, count, ' ', missing);
        return count;
    }
    if (exponent == 0)
        exponent = 1;
    exponent -= 16383;
    if (kind == 'a') {
        unsigned int leading;
        int digits = 15;
        if (is_long) {
            leading = (unsigned int)(significand >> 60);
            significand &= (1ULL << 60) - 1;
            exponent -= 3;
        } else {
            bytes.narrow = (double)value;
            significand = bytes.bits % (1ULL << 52);
            exponent = (int)(bytes.bits >> 52 & 2047);
            leading = exponent != 0;
            exponent = exponent == 0 ? -1022 : exponent - 1023;
            digits = 13;
        }
        if (value == 0)
            exponent = 0;
        return __wayproof___wp_put_hexadecimal(
            to, room, count, flags, width, precision, is_upper, sign, leading, significand, digits, exponent);
    }
    exponent -= 63;
    if (significand == 0)
        exponent = 0;
    while (exponent < 0 && significand % 2 == 0) {
        significand /= 2;
        exponent++;
    }
    if (exponent <= 960 && exponent >= -1074)
        return __wayproof___wp_put_decimal(
            to, room, count, flags, width, precision, kind, is_upper, sign, significand, exponent, words, 36);
    unsigned int *many = __wayproof_malloc(2400 * sizeof(unsigned int));
    count = __wayproof___wp_put_decimal(
        to, room, count, flags, width, precision, kind, is_upper, sign, significand, exponent, many, 550);
    __wayproof_free(many);
    return count;
}
