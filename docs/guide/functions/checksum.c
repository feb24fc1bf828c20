// A checksum over a buffer of any length.
#include <assert.h>
#include <stddef.h>

unsigned checksum(const unsigned char *data, size_t n) {
    unsigned a = 1;
    for (size_t i = 0; i < n; i++) {
        a = (a + data[i]) % 65521;
    }
    assert(a < 65521);
    return a;
}
