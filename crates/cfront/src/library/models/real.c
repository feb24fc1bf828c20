/* Functions on `double` and `float` that are exact or correctly rounded. errno is 33 (EDOM) or 34 (ERANGE) where glibc sets it.
   Names that start with `__wp_` are no library functions. */

int *__wayproof___errno_location(void);
int __wayproof_some_remainder(void);
double __wayproof_trunc(double x);
double __wayproof_round(double x);

union __wayproof_double {
    double value;
    unsigned long long bits;
};

static double __wayproof___wp_double(unsigned long long bits)
{
    union __wayproof_double x;
    x.bits = bits;
    return x.value;
}

static unsigned long long __wayproof___wp_bits(double value)
{
    union __wayproof_double x;
    x.value = value;
    return x.bits;
}

static int __wayproof___wp_is_finite(double x) { return x - x == 0; }

static double __wayproof___wp_invalid(void)
{
    *__wayproof___errno_location() = 33;
    return __wayproof___wp_double(0xfff8000000000000ULL);
}

double __wayproof_modf(double x, double *whole)
{
    *whole = __wayproof_trunc(x);
    if (x != x)
        return x;
    return __builtin_copysign(__wayproof___wp_is_finite(x) ? x - *whole : 0.0, x);
}

float __wayproof_modff(float x, float *whole)
{
    double part;
    float rest = (float)__wayproof_modf(x, &part);
    *whole = (float)part;
    return rest;
}

/* Times 2^n, rounded once: only the last factor can leave the normal numbers. */
static double __wayproof___wp_scale(double x, long n)
{
    double large = __wayproof___wp_double(2046ULL << 52);
    double small = __wayproof___wp_double(54ULL << 52);
    for (int i = 0; i < 3 && n > 1023; i++) {
        x *= large;
        n -= 1023;
    }
    for (int i = 0; i < 3 && n < -969; i++) {
        x *= small;
        n += 969;
    }
    if (n > 1023)
        n = 1023;
    if (n < -1022)
        n = -1022;
    return x * __wayproof___wp_double((unsigned long long)(n + 1023) << 52);
}

double __wayproof_scalbln(double x, long n)
{
    double result = __wayproof___wp_scale(x, n);
    if (__wayproof___wp_is_finite(x) && x != 0 && (result == 0 || !__wayproof___wp_is_finite(result)))
        *__wayproof___errno_location() = 34;
    return result;
}

float __wayproof_scalblnf(float x, long n)
{
    /* Exact as a double: 2^400 is far beyond all numbers. */
    float result = (float)__wayproof___wp_scale(x, n > 400 ? 400 : n < -400 ? -400 : n);
    if (__wayproof___wp_is_finite(x) && x != 0 && (result == 0 || !__wayproof___wp_is_finite(result)))
        *__wayproof___errno_location() = 34;
    return result;
}

double __wayproof_scalbn(double x, int n) { return __wayproof_scalbln(x, n); }
double __wayproof_ldexp(double x, int n) { return __wayproof_scalbln(x, n); }
float __wayproof_scalbnf(float x, int n) { return __wayproof_scalblnf(x, n); }
float __wayproof_ldexpf(float x, int n) { return __wayproof_scalblnf(x, n); }

double __wayproof_frexp(double x, int *exponent)
{
    *exponent = 0;
    if (x == 0 || !__wayproof___wp_is_finite(x))
        return x;
    int scaled = 0;
    if ((__wayproof___wp_bits(x) >> 52 & 2047) == 0) {
        x *= 18014398509481984.0;
        scaled = 54;
    }
    unsigned long long bits = __wayproof___wp_bits(x);
    *exponent = (int)(bits >> 52 & 2047) - 1022 - scaled;
    return __wayproof___wp_double((bits & 0x800fffffffffffffULL) | 1022ULL << 52);
}

float __wayproof_frexpf(float x, int *exponent) { return (float)__wayproof_frexp(x, exponent); }

int __wayproof_ilogb(double x)
{
    int exponent;
    if (x == 0 || x != x || !__wayproof___wp_is_finite(x)) {
        *__wayproof___errno_location() = 33;
        return x == 0 || x != x ? -2147483647 - 1 : 2147483647;
    }
    __wayproof_frexp(x, &exponent);
    return exponent - 1;
}

int __wayproof_ilogbf(float x) { return __wayproof_ilogb(x); }

double __wayproof_logb(double x)
{
    if (x == 0)
        return __wayproof___wp_double(0xfff0000000000000ULL);
    if (!__wayproof___wp_is_finite(x))
        return x * x;
    return __wayproof_ilogb(x);
}

float __wayproof_logbf(float x) { return (float)__wayproof_logb(x); }

/* |x| modulo |y|, both finite and y not 0; `odd` tells whether the quotient is. */
static double __wayproof___wp_modulo(double x, double y, int *odd)
{
    int high, low;
    unsigned long long a = (unsigned long long)(__wayproof_frexp(x, &high) * 9007199254740992.0);
    unsigned long long b = (unsigned long long)(__wayproof_frexp(y, &low) * 9007199254740992.0);
    *odd = 0;
    if (x < y)
        return x;
    while (high > low) {
        if (a >= b)
            a -= b;
        a *= 2;
        high--;
    }
    if (a >= b) {
        a -= b;
        *odd = 1;
    }
    return __wayproof___wp_scale((double)a, low - 53);
}

double __wayproof_fmod(double x, double y)
{
    int odd;
    if (x != x || y != y)
        return x + y;
    if (y == 0 || !__wayproof___wp_is_finite(x))
        return __wayproof___wp_invalid();
    if (x == 0 || !__wayproof___wp_is_finite(y))
        return x;
    double magnitude = __wayproof___wp_modulo(__builtin_fabs(x), __builtin_fabs(y), &odd);
    return __builtin_copysign(magnitude, x);
}

double __wayproof_remainder(double x, double y)
{
    int odd;
    if (x != x || y != y)
        return x + y;
    if (y == 0 || !__wayproof___wp_is_finite(x))
        return __wayproof___wp_invalid();
    if (x == 0 || !__wayproof___wp_is_finite(y))
        return x;
    y = __builtin_fabs(y);
    double rest = __wayproof___wp_modulo(__builtin_fabs(x), y, &odd);
    /* y - rest is exact where it matters; so rest and y - rest can be compared. */
    double other = y - rest;
    if (rest > other || (rest == other && odd))
        rest = -other;
    /* The standard asks for the sign of x; glibc has others for very small y. */
    if (rest == 0)
        return __builtin_copysign(0.0, y < 1e-290 && __wayproof_some_remainder() != 0 ? -x : x);
    return x < 0 ? -rest : rest;
}

float __wayproof_fmodf(float x, float y) { return (float)__wayproof_fmod(x, y); }
float __wayproof_remainderf(float x, float y) { return (float)__wayproof_remainder(x, y); }
double __wayproof_drem(double x, double y) { return __wayproof_remainder(x, y); }
float __wayproof_dremf(float x, float y) { return __wayproof_remainderf(x, y); }

/* The root of a number of 54 bits times a power of 4, one binary digit after the other; one more than the result has decides the
   rounding. */
double __wayproof_sqrt(double x)
{
    int exponent;
    if (x == 0 || x != x || (x > 0 && !__wayproof___wp_is_finite(x)))
        return x;
    if (x < 0)
        return __wayproof___wp_invalid();
    unsigned long long digits = (unsigned long long)(__wayproof_frexp(x, &exponent) * 9007199254740992.0);
    if (exponent % 2 == 0) {
        digits *= 2;
        exponent--;
    }
    unsigned long long root = 0;
    unsigned long long rest = 0;
    for (int i = 0; i < 54; i++) {
        rest = rest * 4 + (i < 27 ? digits >> (52 - 2 * i) & 3 : 0);
        root *= 2;
        if (rest > root * 2) {
            rest -= root * 2 + 1;
            root++;
        }
    }
    return __wayproof___wp_scale((double)(root / 2 + root % 2), (exponent - 53) / 2 - 26);
}

float __wayproof_sqrtf(float x) { return (float)__wayproof_sqrt(x); }

/* To the even neighbour: adding 2^52 leaves no bits for the fraction. */
double __wayproof_rint(double x)
{
    double limit = 4503599627370496.0;
    if (x != x || x >= limit || x <= -limit)
        return x;
    return __builtin_copysign(__builtin_fabs(x) + limit - limit, x);
}

double __wayproof_nearbyint(double x) { return __wayproof_rint(x); }
double __wayproof_roundeven(double x) { return __wayproof_rint(x); }
float __wayproof_rintf(float x) { return (float)__wayproof_rint(x); }
float __wayproof_nearbyintf(float x) { return (float)__wayproof_rint(x); }
float __wayproof_roundevenf(float x) { return (float)__wayproof_rint(x); }

/* What does not fit is open: the processor has the least number, a compiler that computes it has another one. */
long __wayproof_some_lround(void);
long long __wayproof_some_llround(void);
static long __wayproof___wp_long(double x)
{
    double limit = sizeof(long) == 8 ? 9223372036854775808.0 : 2147483648.0;
    return x >= -limit && x < limit ? (long)x : __wayproof_some_lround();
}

static long long __wayproof___wp_long_long(double x)
{
    return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (long long)x : __wayproof_some_llround();
}

long __wayproof_lrint(double x) { return __wayproof___wp_long(__wayproof_rint(x)); }
long __wayproof_lrintf(float x) { return __wayproof___wp_long(__wayproof_rint(x)); }
long long __wayproof_llrint(double x) { return __wayproof___wp_long_long(__wayproof_rint(x)); }
long long __wayproof_llrintf(float x) { return __wayproof___wp_long_long(__wayproof_rint(x)); }
long __wayproof_lround(double x) { return __wayproof___wp_long(__wayproof_round(x)); }
long __wayproof_lroundf(float x) { return __wayproof___wp_long(__wayproof_round(x)); }
long long __wayproof_llround(double x) { return __wayproof___wp_long_long(__wayproof_round(x)); }
long long __wayproof_llroundf(float x) { return __wayproof___wp_long_long(__wayproof_round(x)); }

double __wayproof_fdim(double x, double y)
{
    if (x <= y)
        return 0;
    double result = x - y;
    if (!__wayproof___wp_is_finite(result) && __wayproof___wp_is_finite(x) && __wayproof___wp_is_finite(y))
        *__wayproof___errno_location() = 34;
    return result;
}

float __wayproof_fdimf(float x, float y)
{
    if (x <= y)
        return 0;
    float result = x - y;
    if (!__wayproof___wp_is_finite(result) && __wayproof___wp_is_finite(x) && __wayproof___wp_is_finite(y))
        *__wayproof___errno_location() = 34;
    return result;
}

double __wayproof_nextafter(double x, double y)
{
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    unsigned long long bits = __wayproof___wp_bits(x);
    if (x == 0)
        return __builtin_copysign(__wayproof___wp_double(1), y);
    double result = __wayproof___wp_double((x < y) == (x > 0) ? bits + 1 : bits - 1);
    unsigned int exponent = (unsigned int)(__wayproof___wp_bits(result) >> 52 & 2047);
    if (exponent == 0 || (exponent == 2047 && __wayproof___wp_is_finite(x)))
        *__wayproof___errno_location() = 34;
    return result;
}

float __wayproof_nextafterf(float x, float y)
{
    union {
        float value;
        unsigned int bits;
    } result;
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    result.value = x;
    if (x == 0) {
        result.bits = 1;
        return __builtin_copysignf(result.value, y);
    }
    result.bits = (x < y) == (x > 0) ? result.bits + 1 : result.bits - 1;
    unsigned int exponent = result.bits >> 23 & 255;
    if (exponent == 0 || (exponent == 255 && __wayproof___wp_is_finite(x)))
        *__wayproof___errno_location() = 34;
    return result.value;
}
