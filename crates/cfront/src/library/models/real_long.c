/* Functions on `long double` that are exact. */

int *__wayproof___errno_location(void);

union __wayproof_long_double {
    long double value;
    unsigned long long significand;
    unsigned short parts[5];
};

_Bool __wayproof_some_fmaxl(void);
_Bool __wayproof_some_fminl(void);
long double __wayproof_fmaxl(long double a, long double b)
{
    if (a == 0 && b == 0 && !__builtin_signbit(a) != !__builtin_signbit(b))
        return __wayproof_some_fmaxl() ? a : b;
    return a != a ? b : b != b ? a : a > b ? a : b;
}
long double __wayproof_fminl(long double a, long double b)
{
    if (a == 0 && b == 0 && !__builtin_signbit(a) != !__builtin_signbit(b))
        return __wayproof_some_fminl() ? a : b;
    return a != a ? b : b != b ? a : a < b ? a : b;
}
int __wayproof___isnanl(long double x) { return x != x; }
int __wayproof___isinfl(long double x) { return x == x && x - x != x - x ? (x > 0 ? 1 : -1) : 0; }
int __wayproof___finitel(long double x) { return x - x == x - x; }

int __wayproof___signbitl(long double x)
{
    union __wayproof_long_double bytes;
    bytes.value = x;
    return bytes.parts[4] >> 15;
}

int __wayproof___fpclassifyl(long double x)
{
    union __wayproof_long_double bytes;
    bytes.value = x;
    if (x != x)
        return 0;
    if (x - x != x - x)
        return 1;
    if (x == 0)
        return 2;
    return (bytes.parts[4] & 32767) == 0 ? 3 : 4;
}

long double __wayproof_copysignl(long double x, long double y)
{
    union __wayproof_long_double bytes;
    int sign = __wayproof___signbitl(y) << 15;
    bytes.value = x;
    bytes.parts[4] = (unsigned short)((bytes.parts[4] & 32767) | sign);
    return bytes.value;
}

/* From 2^63 on every number is an integer. */
long double __wayproof_truncl(long double x)
{
    if (x != x || x >= 9223372036854775808.0L || x <= -9223372036854775808.0L)
        return x;
    return __wayproof_copysignl((long double)(long long)x, x);
}

long double __wayproof_floorl(long double x)
{
    long double whole = __wayproof_truncl(x);
    return whole > x ? whole - 1.0L : whole;
}

long double __wayproof_ceill(long double x)
{
    long double whole = __wayproof_truncl(x);
    return whole < x ? __wayproof_copysignl(whole + 1.0L, x) : whole;
}

long double __wayproof_roundl(long double x)
{
    long double whole = __wayproof_truncl(x);
    long double rest = x - whole;
    if (rest >= 0.5L)
        return whole + 1.0L;
    if (rest <= -0.5L)
        return whole - 1.0L;
    return whole;
}

long double __wayproof_rintl(long double x)
{
    long double whole = __wayproof_truncl(x);
    long double rest = x - whole;
    if (rest > 0.5L || (rest == 0.5L && (long long)whole % 2 != 0))
        return whole + 1.0L;
    if (rest < -0.5L || (rest == -0.5L && (long long)whole % 2 != 0))
        return whole - 1.0L;
    return whole;
}

long double __wayproof_nearbyintl(long double x) { return __wayproof_rintl(x); }

long double __wayproof_modfl(long double x, long double *whole)
{
    *whole = __wayproof_truncl(x);
    if (x != x)
        return x;
    return __wayproof_copysignl(x - x == 0 ? x - *whole : 0.0L, x);
}

long double __wayproof_frexpl(long double x, int *exponent)
{
    union __wayproof_long_double bytes;
    int scaled = 0;
    bytes.value = x;
    *exponent = 0;
    if (x == 0 || x - x != 0)
        return x;
    if ((bytes.parts[4] & 32767) == 0) {
        bytes.value = x * 18446744073709551616.0L;
        scaled = 64;
    }
    *exponent = (bytes.parts[4] & 32767) - 16382 - scaled;
    bytes.parts[4] = (unsigned short)((bytes.parts[4] & 32768) | 16382);
    return bytes.value;
}

long double __wayproof_ldexpl(long double x, int n)
{
    union __wayproof_long_double power;
    long double result = x;
    if (x == 0 || x - x != 0)
        return x;
    power.value = 1;
    power.parts[4] = 16383 + 16383;
    for (int i = 0; i < 3 && n > 16383; i++) {
        result *= power.value;
        n -= 16383;
    }
    /* 64 bits above the least exponent: what is smaller comes last and is rounded once. */
    power.parts[4] = 64 + 1;
    for (int i = 0; i < 3 && n < -16318; i++) {
        result *= power.value;
        n += 16318;
    }
    power.parts[4] = (unsigned short)(16383 + (n > 16383 ? 16383 : n < -16382 ? -16382 : n));
    result *= power.value;
    if (result == 0 || result - result != 0)
        *__wayproof___errno_location() = 34;
    return result;
}

long double __wayproof_scalbnl(long double x, int n) { return __wayproof_ldexpl(x, n); }
