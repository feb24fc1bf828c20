/* Numbers: absolute values, conversions of text, and the exact ones among the functions on floats. */

int __wayproof_abs(int x) { return x < 0 ? -x : x; }
long __wayproof_labs(long x) { return x < 0 ? -x : x; }
long long __wayproof_llabs(long long x) { return x < 0 ? -x : x; }

static int __wayproof_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 36;
}

/* The magnitude is exact up to 2^64 and sticks there. */
static unsigned long long __wayproof_scan(const char *s, const char **end, int base, int *negative, int *overflow)
{
    const char *p = s;
    unsigned long long value = 0;
    int any = 0;
    *negative = 0;
    *overflow = 0;
    while (*p == ' ' || (*p >= 9 && *p <= 13))
        p++;
    if (*p == '-' || *p == '+') {
        *negative = *p == '-';
        p++;
    }
    if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && __wayproof_digit(p[2]) < 16) {
        p += 2;
        base = 16;
    } else if (base == 0)
        base = *p == '0' ? 8 : 10;
    while (__wayproof_digit(*p) < base) {
        unsigned long long digit = (unsigned long long)__wayproof_digit(*p);
        if (value > (0xffffffffffffffffULL - digit) / (unsigned long long)base)
            *overflow = 1;
        value = value * (unsigned long long)base + digit;
        any = 1;
        p++;
    }
    *end = any ? p : s;
    return value;
}

long long __wayproof_strtoll(const char *s, char **end, int base)
{
    const char *stop;
    int negative, overflow;
    unsigned long long value = __wayproof_scan(s, &stop, base, &negative, &overflow);
    if (end != 0)
        *end = (char *)stop;
    if (negative) {
        if (overflow || value > 0x8000000000000000ULL)
            return -0x7fffffffffffffffLL - 1;
        return (long long)(0 - value);
    }
    if (overflow || value > 0x7fffffffffffffffULL)
        return 0x7fffffffffffffffLL;
    return (long long)value;
}

long __wayproof_strtol(const char *s, char **end, int base)
{
    long long value = __wayproof_strtoll(s, end, base);
    long most = (long)(~0UL >> 1);
    if (value > most)
        return most;
    if (value < -most - 1)
        return -most - 1;
    return (long)value;
}

unsigned long long __wayproof_strtoull(const char *s, char **end, int base)
{
    const char *stop;
    int negative, overflow;
    unsigned long long value = __wayproof_scan(s, &stop, base, &negative, &overflow);
    if (end != 0)
        *end = (char *)stop;
    if (overflow)
        return 0xffffffffffffffffULL;
    return negative ? 0 - value : value;
}

unsigned long __wayproof_strtoul(const char *s, char **end, int base)
{
    const char *stop;
    int negative, overflow;
    unsigned long long value = __wayproof_scan(s, &stop, base, &negative, &overflow);
    if (end != 0)
        *end = (char *)stop;
    if (overflow || value > ~0UL)
        return ~0UL;
    return negative ? 0UL - (unsigned long)value : (unsigned long)value;
}

long __wayproof_atol(const char *s) { return __wayproof_strtol(s, 0, 10); }
int __wayproof_atoi(const char *s) { return (int)__wayproof_strtol(s, 0, 10); }
long long __wayproof_atoll(const char *s) { return __wayproof_strtoll(s, 0, 10); }

double __wayproof_fmax(double a, double b) { return a != a ? b : b != b ? a : a < b ? b : a; }
double __wayproof_fmin(double a, double b) { return a != a ? b : b != b ? a : a < b ? a : b; }
float __wayproof_fmaxf(float a, float b) { return a != a ? b : b != b ? a : a < b ? b : a; }
float __wayproof_fminf(float a, float b) { return a != a ? b : b != b ? a : a < b ? a : b; }

/* From 2^52 on every double is an integer, from 2^23 on every float. */
double __wayproof_trunc(double x)
{
    if (x != x || x >= 4503599627370496.0 || x <= -4503599627370496.0 || x == 0)
        return x;
    double whole = (double)(long long)x;
    return whole == 0 && x < 0 ? -0.0 : whole;
}

double __wayproof_floor(double x)
{
    double whole = __wayproof_trunc(x);
    return whole > x ? whole - 1.0 : whole;
}

double __wayproof_ceil(double x)
{
    double whole = __wayproof_trunc(x);
    if (whole < x)
        return whole + 1.0;
    return whole;
}

double __wayproof_round(double x)
{
    double whole = __wayproof_trunc(x);
    double rest = x - whole;
    if (rest >= 0.5)
        return whole + 1.0;
    if (rest <= -0.5)
        return whole - 1.0;
    return whole;
}

float __wayproof_truncf(float x) { return (float)__wayproof_trunc(x); }
float __wayproof_floorf(float x) { return (float)__wayproof_floor(x); }
float __wayproof_ceilf(float x) { return (float)__wayproof_ceil(x); }
float __wayproof_roundf(float x) { return (float)__wayproof_round(x); }

int __wayproof___isnan(double x) { return x != x; }
int __wayproof___isnanf(float x) { return x != x; }
int __wayproof___isinf(double x) { return x > 1.7976931348623157e308 ? 1 : x < -1.7976931348623157e308 ? -1 : 0; }
int __wayproof___isinff(float x) { return x > 3.4028234663852886e38f ? 1 : x < -3.4028234663852886e38f ? -1 : 0; }
int __wayproof___finite(double x) { return x <= 1.7976931348623157e308 && x >= -1.7976931348623157e308; }
int __wayproof___finitef(float x) { return x <= 3.4028234663852886e38f && x >= -3.4028234663852886e38f; }
int __wayproof_isnan(double x) { return x != x; }
int __wayproof_isinf(double x) { return __wayproof___isinf(x); }
int __wayproof_finite(double x) { return __wayproof___finite(x); }

/* Values as in glibc: NaN 0, infinite 1, zero 2, subnormal 3, normal 4. */
int __wayproof___fpclassify(double x)
{
    if (x != x)
        return 0;
    if (__wayproof___isinf(x) != 0)
        return 1;
    if (x == 0)
        return 2;
    return x < 2.2250738585072014e-308 && x > -2.2250738585072014e-308 ? 3 : 4;
}

int __wayproof___fpclassifyf(float x)
{
    if (x != x)
        return 0;
    if (__wayproof___isinff(x) != 0)
        return 1;
    if (x == 0)
        return 2;
    return x < 1.1754943508222875e-38f && x > -1.1754943508222875e-38f ? 3 : 4;
}

int __wayproof___signbit(double x) { return __builtin_signbit(x) != 0; }
int __wayproof___signbitf(float x) { return __builtin_signbitf(x) != 0; }
double __wayproof_copysign(double x, double y) { return __builtin_copysign(x, y); }
float __wayproof_copysignf(float x, float y) { return __builtin_copysignf(x, y); }
