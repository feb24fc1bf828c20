/* Sorts three numbers through pointers. */
#include <assert.h>

int __VERIFIER_nondet_int(void);

static void order(int *low, int *high) {
    if (*low > *high) {
        int kept = *low;
        *low = *high;
        *high = kept;
    }
}

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    int c = __VERIFIER_nondet_int();
    order(&a, &b);
    order(&b, &c);
    order(&a, &b);
    assert(a <= b && b <= c);
    return 0;
}
