// Euclid's algorithm. That the result divides both numbers takes rests of divisions by variables, which the formulas round up: unknown.
// That it is not larger than both can be is linear: wayproof check examples/gcd.c -DLINEAR
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint() % 1000 + 1;
    unsigned y = __VERIFIER_nondet_uint() % 1000 + 1;
    unsigned a = x, b = y;
    while (b != 0) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
#ifdef LINEAR
    assert(a <= 1000);
#else
    assert(x % a == 0);
#endif
    return 0;
}
