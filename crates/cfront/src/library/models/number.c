/* Numbers: absolute values, and the exact ones among the functions on floats. */

int __wayproof_abs(int x) { return x < 0 ? -x : x; }
long __wayproof_labs(long x) { return x < 0 ? -x : x; }
long long __wayproof_llabs(long long x) { return x < 0 ? -x : x; }

/* Which of two zeros with different signs is returned is open. */
_Bool __wayproof_some_fmax(void);
_Bool __wayproof_some_fmin(void);
double __wayproof_fmax(double a, double b)
{
    if (a == 0 && b == 0 && !__builtin_signbit(a) != !__builtin_signbit(b))
        return __wayproof_some_fmax() ? a : b;
    return a != a ? b : b != b ? a : a > b ? a : b;
}
double __wayproof_fmin(double a, double b)
{
    if (a == 0 && b == 0 && !__builtin_signbit(a) != !__builtin_signbit(b))
        return __wayproof_some_fmin() ? a : b;
    return a != a ? b : b != b ? a : a < b ? a : b;
}
float __wayproof_fmaxf(float a, float b) { return (float)__wayproof_fmax(a, b); }
float __wayproof_fminf(float a, float b) { return (float)__wayproof_fmin(a, b); }

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
/* Not zero for an infinity: compilers have 1 for the one below zero, the library has -1. */
int __wayproof_some_isinf(void);
int __wayproof_isinf(double x)
{
    if (__wayproof___isinf(x) >= 0)
        return __wayproof___isinf(x);
    return __wayproof_some_isinf() == 1 ? 1 : -1;
}
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
