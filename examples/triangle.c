// The sum of 1..n is n(n+1)/2, here for any n below 1000: a loop and a product of variables.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint() % 1000;
    unsigned sum = 0;
    for (unsigned i = 1; i <= n; i++) {
        sum += i;
    }
    assert(sum == n * (n + 1) / 2);
    return 0;
}
