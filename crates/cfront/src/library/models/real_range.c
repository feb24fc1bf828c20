/* Functions on `double` and `float` whose values are not computed: only between which numbers they are, and the exact ones. errno is
   33 (EDOM) where glibc sets it. */

int *__wayproof___errno_location(void);
double __wayproof_some_sin(void);
double __wayproof_some_cos(void);
double __wayproof_some_tanh(void);
void __wayproof_assume(int condition);
int __wayproof___finite(double x);

/* What becomes of an argument that is infinite or not a number. */
static double __wayproof___wp_no_angle(double x)
{
    if (x == x)
        *__wayproof___errno_location() = 33;
    return x - x;
}

double __wayproof_sin(double x)
{
    if (!__wayproof___finite(x))
        return __wayproof___wp_no_angle(x);
    if (x == 0)
        return x;
    double y = __wayproof_some_sin();
    __wayproof_assume(y >= -1.0 && y <= 1.0);
    return y;
}

double __wayproof_cos(double x)
{
    if (!__wayproof___finite(x))
        return __wayproof___wp_no_angle(x);
    if (x == 0)
        return 1.0;
    double y = __wayproof_some_cos();
    __wayproof_assume(y >= -1.0 && y <= 1.0);
    return y;
}

double __wayproof_tanh(double x)
{
    if (x != x || x == 0)
        return x;
    double y = __wayproof_some_tanh();
    __wayproof_assume(x > 0 ? y >= 0.0 && y <= 1.0 : y >= -1.0 && y <= 0.0);
    return y;
}

float __wayproof_sinf(float x) { return (float)__wayproof_sin(x); }
float __wayproof_cosf(float x) { return (float)__wayproof_cos(x); }
float __wayproof_tanhf(float x) { return (float)__wayproof_tanh(x); }
