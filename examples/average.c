// The average of two numbers lies between them, unless their sum does not fit an int.
//   wayproof check examples/average.c                               a large pair overflows
//   wayproof check examples/average.c --signed-overflow undefined   every sum that is defined is right
//   wayproof check examples/average.c --signed-overflow wrap        a large pair refutes the assertion
//   wayproof run   examples/average.c --signed-overflow wrap --input 2000000000 --input 2000000000
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int low = __VERIFIER_nondet_int();
    int high = __VERIFIER_nondet_int();
    if (low > high || low < 0) {
        return 0;
    }
    int average = (low + high) / 2;
    assert(low <= average && average <= high);
    return 0;
}
