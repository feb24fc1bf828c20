// A bug that hides at the boundary: the loop looks at one day too many.
// There is no input, so the program has one execution: `wayproof check` runs it and reports the failing assertion.
#include <assert.h>

static const int rainfall[7] = {3, 0, 4, 1, 0, 9, 2};

static int rainy_days(int first, int last) {
    int days = 0;
    for (int day = first; day <= last; day++) {
        if (rainfall[day] > 0) {
            days++;
        }
    }
    return days;
}

int main(void) {
    int working_week = rainy_days(0, 5); // meant: days 0 to 4
    assert(working_week <= 3);
    return 0;
}
