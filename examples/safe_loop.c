// Halve a number if it is even, else triple it and add one: every number up to 300 gets to 1, and within 130 steps.
// No input, one execution, no failing assertion: safe.
#include <assert.h>

int main(void) {
    for (unsigned n = 1; n <= 300; n++) {
        unsigned x = n, steps = 0;
        while (x != 1) {
            x = x % 2 == 0 ? x / 2 : 3 * x + 1;
            steps++;
        }
        assert(steps <= 130);
    }
    return 0;
}
