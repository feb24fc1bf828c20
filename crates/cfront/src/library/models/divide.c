/* Quotients and remainders, and bits of integers. */

struct __wayproof_div {
    int quot;
    int rem;
};
struct __wayproof_ldiv {
    long quot;
    long rem;
};
struct __wayproof_lldiv {
    long long quot;
    long long rem;
};

struct __wayproof_div __wayproof_div(int a, int b)
{
    struct __wayproof_div result = {a / b, a % b};
    return result;
}

struct __wayproof_ldiv __wayproof_ldiv(long a, long b)
{
    struct __wayproof_ldiv result = {a / b, a % b};
    return result;
}

struct __wayproof_lldiv __wayproof_lldiv(long long a, long long b)
{
    struct __wayproof_lldiv result = {a / b, a % b};
    return result;
}

struct __wayproof_lldiv __wayproof_imaxdiv(long long a, long long b)
{
    struct __wayproof_lldiv result = {a / b, a % b};
    return result;
}

long long __wayproof_imaxabs(long long x) { return x < 0 ? -x : x; }
int __wayproof_ffs(int x) { return __builtin_ffs(x); }
int __wayproof_ffsl(long x) { return __builtin_ffsl(x); }
int __wayproof_ffsll(long long x) { return __builtin_ffsll(x); }
