// Gauss was right: the sum of 1..n is n(n+1)/2, here for every n up to 1000.
// No input, one execution, no failing assertion: safe.
#include <assert.h>

int main(void) {
    unsigned sum = 0;
    for (unsigned n = 1; n <= 1000; n++) {
        sum += n;
        assert(sum == n * (n + 1) / 2);
    }
    return 0;
}
