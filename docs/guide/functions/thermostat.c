// The sensor is a function of a driver, whose source is not at hand.
#include <assert.h>

extern int read_celsius(void);

int main(void) {
    int sum = 0;
    for (int i = 0; i < 8; i++) {
        sum += read_celsius();
    }
    int mean = sum / 8;
    assert(mean >= -40 && mean <= 125);
    return 0;
}
