/* Floats from text, exactly rounded, as glibc converts it in the "C" locale; errno is 34 (ERANGE) for what is too large, and for what is
   smaller than all normal numbers and not exact. Names that start with `__wp_` are no library functions. */

int *__wayproof___errno_location(void);
void *__wayproof_malloc(unsigned long size);
void __wayproof_free(void *memory);
unsigned long long __wayproof_strtoull(const char *s, char **end, int base);
void __wayproof___wp_decimal_multiply(unsigned int *words, int *range, int bits);
void __wayproof___wp_decimal_divide(unsigned int *words, int *range, int bits);

/* Bit patterns: a significand, and for `long double` (64 bits of precision) sign and exponent beside it. */
struct __wayproof_pattern {
    unsigned long long significand;
    unsigned int head;
};

/* A format of `precision` bits with exponents from 1 - `bias` to `bias`. The number is significand * 2^exponent, the highest bit of the
   significand is set, and `rest` tells what is behind its last bit: 0 nothing, 1 less than half of it, 2 half, 3 more than half. */
static struct __wayproof_pattern __wayproof___wp_encode(
    int precision, int bias, int negative, unsigned long long significand, int exponent, int rest)
{
    struct __wayproof_pattern result;
    int power = exponent + 63;
    int dropped = 64 - precision;
    int is_tiny = power < 1 - bias;
    if (is_tiny) {
        /* Not tiny if rounding to full precision reaches the least normal number. */
        unsigned long long ones = ~0ULL << dropped;
        int rounds_up = dropped == 0 ? rest >= 2 : (significand >> (dropped - 1) & 1) != 0;
        if (power == -bias && (significand & ones) == ones && rounds_up)
            is_tiny = 0;
        /* glibc forgets the first bit that does not fit into the precision when it shifts further. */
        if (dropped == 0)
            rest = rest == 3 || rest == 1;
        else
            significand &= ~(1ULL << (dropped - 1));
        dropped += 1 - bias - power > 70 ? 70 : 1 - bias - power;
        power = 1 - bias;
    }
    unsigned long long kept = dropped >= 64 ? 0 : significand >> dropped;
    if (dropped > 64)
        rest = 1;
    else if (dropped > 0) {
        unsigned long long half = 1ULL << (dropped - 1);
        unsigned long long behind = significand & (half - 1 + half);
        if (behind == half)
            rest = rest == 0 ? 2 : 3;
        else if (behind > half)
            rest = 3;
        else
            rest = behind != 0 || rest != 0;
    }
    if (rest == 3 || (rest == 2 && kept % 2 != 0)) {
        kept++;
        if (precision < 64 ? kept >> precision != 0 : kept == 0) {
            kept = 1ULL << (precision - 1);
            power++;
        }
    }
    if (power > bias) {
        kept = 1ULL << (precision - 1);
        power = bias + 1;
        *__wayproof___errno_location() = 34;
    } else if (is_tiny && rest != 0)
        *__wayproof___errno_location() = 34;
    unsigned int head = kept >> (precision - 1) != 0 ? (unsigned int)(power + bias) : 0;
    result.head = head | (negative ? (unsigned int)(bias + 1) * 2 : 0);
    result.significand = precision == 64 ? kept : kept & ((1ULL << (precision - 1)) - 1);
    return result;
}

static unsigned int __wayproof___wp_word(unsigned int *words, int *range, int at)
{
    return at < range[0] || at > range[1] ? 0 : words[at];
}

/* The decimal number in `words` (see decimal.c), which is not 0. */
static struct __wayproof_pattern __wayproof___wp_encode_decimal(
    int precision, int bias, int negative, unsigned int *words, int *range, int point)
{
    int exponent = 0;
    while (range[0] < point - 2) {
        __wayproof___wp_decimal_divide(words, range, 9);
        exponent += 9;
    }
    while (range[0] >= point) {
        __wayproof___wp_decimal_multiply(words, range, 29);
        exponent -= 29;
    }
    while (1) {
        unsigned long long high = __wayproof___wp_word(words, range, point - 2);
        unsigned long long low = __wayproof___wp_word(words, range, point - 1) * 1000000000ULL;
        low += __wayproof___wp_word(words, range, point);
        if (high > 18 || (high == 18 && low > 446744073709551615ULL)) {
            __wayproof___wp_decimal_divide(words, range, 1);
            exponent++;
        } else if (high < 9 || (high == 9 && low < 223372036854775808ULL)) {
            __wayproof___wp_decimal_multiply(words, range, 1);
            exponent--;
        } else {
            unsigned int next = __wayproof___wp_word(words, range, point + 1);
            int more = range[1] > point + 1;
            int rest = next > 500000000 || (next == 500000000 && more) ? 3 : next == 500000000 ? 2 : next != 0 || more;
            return __wayproof___wp_encode(
                precision, bias, negative, high * 1000000000000000000ULL + low, exponent, rest);
        }
    }
}

/* An exponent after `e` or `p`; nothing is read if there is none. */
static long long __wayproof___wp_exponent(const char **s, char letter)
{
    const char *p = *s;
    long long value = 0;
    if (*p != letter && *p != letter - 32)
        return 0;
    p++;
    int negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    if (*p < '0' || *p > '9')
        return 0;
    while (*p >= '0' && *p <= '9') {
        if (value < 1000000000000000)
            value = value * 10 + (*p - '0');
        p++;
    }
    *s = p;
    return negative ? -value : value;
}

static int __wayproof___wp_hexadecimal(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 16;
}

/* The digits behind `0x`. */
static struct __wayproof_pattern __wayproof___wp_read_hexadecimal(
    const char *p, const char **end, int precision, int bias, int negative)
{
    struct __wayproof_pattern zero;
    unsigned long long significand = 0;
    long long exponent = 0;
    int more = 0;
    int seen_point = 0;
    while (__wayproof___wp_hexadecimal(*p) < 16 || (*p == '.' && !seen_point)) {
        if (*p == '.')
            seen_point = 1;
        else {
            int digit = __wayproof___wp_hexadecimal(*p);
            if (significand >> 60 == 0)
                significand = significand * 16 + (unsigned int)digit;
            else {
                /* The first digit behind decides what more than half is; any other only breaks ties. */
                if (more == 0)
                    more = 32 + digit * 2;
                else if (digit != 0)
                    more |= 1;
                exponent += 4;
            }
            if (seen_point)
                exponent -= 4;
        }
        p++;
    }
    exponent += __wayproof___wp_exponent(&p, 'p');
    *end = p;
    if (significand == 0) {
        zero.significand = 0;
        zero.head = negative ? (unsigned int)(bias + 1) * 2 : 0;
        return zero;
    }
    /* `more` as a fraction with 5 bits below the significand's last one. */
    unsigned int below = (unsigned int)more & 31;
    while (significand >> 63 == 0) {
        significand = significand * 2 + (below >> 4);
        below = (below & 14) * 2 + (below & 1);
        exponent--;
    }
    int rest = below > 16 ? 3 : below == 16 ? 2 : below != 0;
    int clamped = exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : (int)exponent;
    return __wayproof___wp_encode(precision, bias, negative, significand, clamped, rest);
}

/* Decimal digits, of which `most` are kept and one more stands for all the others. */
static struct __wayproof_pattern __wayproof___wp_read_decimal(
    const char *p, const char **end, int precision, int bias, int negative, unsigned int *words, int point, int most)
{
    struct __wayproof_pattern zero;
    int range[2];
    long long place = 0;
    const char *first = 0;
    int seen_point = 0;
    /* `place` is the number of digits between the first one that is not 0 and the point, or minus the zeros behind the point. */
    const char *q = p;
    while ((*q >= '0' && *q <= '9') || (*q == '.' && !seen_point)) {
        if (*q == '.')
            seen_point = 1;
        else {
            if (first == 0 && *q != '0')
                first = q;
            if (!seen_point && first != 0)
                place++;
            if (seen_point && first == 0)
                place--;
        }
        q++;
    }
    const char *last = q;
    place += __wayproof___wp_exponent(&q, 'e') - 1;
    *end = q;
    zero.significand = 0;
    zero.head = negative ? (unsigned int)(bias + 1) * 2 : 0;
    if (first == 0)
        return zero;
    /* Far beyond all numbers of the format: the digits do not matter. */
    if (place > (bias + 1) * 30103LL / 100000 + 1 || place < -(bias + 64) * 30103LL / 100000 - 3)
        return __wayproof___wp_encode(precision, bias, negative, 1ULL << 63, place > 0 ? 100000 : -100000, 0);
    int at = (int)place;
    int stop = at - most;
    range[0] = at >= 0 ? point - at / 9 : point + (8 - at) / 9;
    range[1] = range[0] - 1;
    int weight = at >= 0 ? at % 9 : 8 - (-at - 1) % 9;
    for (q = first; q < last && at >= stop; q++) {
        if (*q == '.' || (at == stop && *q == '0'))
            continue;
        unsigned int digit = at == stop ? 1 : (unsigned int)(*q - '0');
        if (weight == 8 || range[1] < range[0]) {
            range[1] = range[1] + 1;
            words[range[1]] = 0;
        }
        for (int i = 0; i < weight; i++)
            digit *= 10;
        words[range[1]] += digit;
        weight = weight == 0 ? 8 : weight - 1;
        at--;
    }
    while (range[1] > range[0] && words[range[1]] == 0)
        range[1] = range[1] - 1;
    return __wayproof___wp_encode_decimal(precision, bias, negative, words, range, point);
}

/* Whether a text starts with a word in lower case; capital letters count as small ones. */
static int __wayproof___wp_starts(const char *s, const char *word)
{
    while (*word != 0 && (*s == *word || *s == *word - 32)) {
        s++;
        word++;
    }
    return *word == 0;
}

/* All of a number; 160 digits are enough for `float`, 800 for `double` and 11600 for `long double` to tell ties. */
static struct __wayproof_pattern __wayproof___wp_read_float(
    const char *s, char **end, int precision, int bias, unsigned int *words, int point, int most)
{
    struct __wayproof_pattern result;
    const char *p = s;
    result.significand = 0;
    result.head = 0;
    while (*p == ' ' || (*p >= 9 && *p <= 13))
        p++;
    int negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    unsigned int special = (unsigned int)(bias + 1) * (negative ? 4u : 2u) - 1;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X') &&
        (__wayproof___wp_hexadecimal(p[2]) < 16 || (p[2] == '.' && __wayproof___wp_hexadecimal(p[3]) < 16)))
        result = __wayproof___wp_read_hexadecimal(p + 2, &s, precision, bias, negative);
    else if ((*p >= '0' && *p <= '9') || (*p == '.' && p[1] >= '0' && p[1] <= '9'))
        result = __wayproof___wp_read_decimal(p, &s, precision, bias, negative, words, point, most);
    else if (__wayproof___wp_starts(p, "inf")) {
        s = p + (__wayproof___wp_starts(p + 3, "inity") ? 8 : 3);
        result.head = special;
        result.significand = precision == 64 ? 1ULL << 63 : 0;
    } else if (__wayproof___wp_starts(p, "nan")) {
        result.head = special;
        result.significand = precision == 64 ? 3ULL << 62 : 1ULL << (precision - 2);
        s = p + 3;
        p += 4;
        if (*s == '(') {
            while ((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_')
                p++;
            if (*p == ')') {
                char *stop;
                unsigned long long payload = __wayproof_strtoull(s + 1, &stop, 0);
                if (stop == p)
                    result.significand |= payload & ((1ULL << (precision - 2)) - 1);
                s = p + 1;
            }
        }
    }
    if (end != 0)
        *end = (char *)s;
    return result;
}

double __wayproof_strtod(const char *s, char **end)
{
    unsigned int words[220];
    union {
        unsigned long long bits;
        double value;
    } result;
    struct __wayproof_pattern pattern = __wayproof___wp_read_float(s, end, 53, 1023, words, 37, 800);
    result.bits = (unsigned long long)pattern.head << 52 | pattern.significand;
    return result.value;
}

float __wayproof_strtof(const char *s, char **end)
{
    unsigned int words[220];
    union {
        unsigned int bits;
        float value;
    } result;
    struct __wayproof_pattern pattern = __wayproof___wp_read_float(s, end, 24, 127, words, 37, 160);
    result.bits = pattern.head << 23 | (unsigned int)pattern.significand;
    return result.value;
}

long double __wayproof_strtold(const char *s, char **end)
{
    union {
        unsigned long long bits;
        unsigned short parts[8];
        long double value;
    } result;
    unsigned int *words = __wayproof_malloc(3200 * sizeof(unsigned int));
    struct __wayproof_pattern pattern = __wayproof___wp_read_float(s, end, 64, 16383, words, 552, 11600);
    __wayproof_free(words);
    result.value = 0;
    result.bits = pattern.significand;
    result.parts[4] = (unsigned short)pattern.head;
    return result.value;
}

double __wayproof_atof(const char *s) { return __wayproof_strtod(s, 0); }
