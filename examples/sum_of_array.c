// The sum of an array that another loop has filled.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000) return 0;
    int a[1000];
    int sum = 0;
    for (int i = 0; i < n; i++) a[i] = 2;
    for (int i = 0; i < n; i++) sum = sum + a[i];
    assert(sum == 2 * n);
    return 0;
}
