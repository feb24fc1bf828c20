/* McCarthy's function: 91 for all numbers up to 101. */
#include <assert.h>

int __VERIFIER_nondet_int(void);

static int mccarthy(int n) {
    if (n > 100) return n - 10;
    return mccarthy(mccarthy(n + 11));
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    int result = mccarthy(n);
    assert(n > 101 || result == 91);
    return 0;
}
