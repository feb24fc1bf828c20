// Buffers whose length is a parameter.
// sum_pos safe --entry-elements any --assume n<=len(a)
// fill safe --entry-elements any --assume n<=len(p)
// maxi unsafe --entry-elements any --assume n<=len(a)
// find safe --entry-elements any --assume n<=len(s)
// bsum safe
// bsum_bad unsafe
#include <assert.h>
#include <stddef.h>

int sum_pos(const int *a, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) if (a[i] > 0) c++;
    assert(c >= 0);
    return c;
}

void fill(unsigned char *p, size_t n) {
    for (size_t i = 0; i < n; i++) p[i] = 1;
    if (n > 0) assert(p[n - 1] == 1);
}

int maxi(const int *a, int n) {
    if (n <= 0) return 0;
    int m = a[0];
    for (int i = 1; i < n; i++) if (a[i] > m) m = a[i];
    assert(m >= 0);
    return m;
}

int find(const char *s, int n, char c) {
    int i;
    for (i = 0; i < n; i++) if (s[i] == c) break;
    assert(i >= n || s[i] == c);
    return i;
}
/* void * bytes */

unsigned bsum(const void *data, unsigned n) {
    const unsigned char *p = data;
    unsigned s = 0;
    if (n > 100) n = 100;
    while (n--) s += *p++;
    assert(s <= 25500);
    return s;
}

unsigned bsum_bad(const void *data, unsigned n) {
    const unsigned char *p = data;
    unsigned s = 0;
    if (n > 4) n = 4;
    while (n--) s += *p++;
    assert(s < 1000);
    return s;
}
