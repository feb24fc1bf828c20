// The sum of 1..n for any n below 1000. That it is n(n+1)/2 takes a product of variables, which the formulas round up: unknown.
// That it is at least n is linear: wayproof check examples/triangle.c -DLINEAR
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint() % 1000;
    unsigned sum = 0;
    for (unsigned i = 1; i <= n; i++) {
        sum += i;
    }
#ifdef LINEAR
    assert(sum >= n);
#else
    assert(sum == n * (n + 1) / 2);
#endif
    return 0;
}
