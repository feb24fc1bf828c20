// String buffers with length and capacity.
// sds_clear safe
// sds_avail unsafe
// sds_avail_ok safe
// sds_setlen safe
// sds_setlen_bad unsafe
// sds_swap safe
// sds_newcap safe
// sds_reset unsafe
// sds_free safe
#include <assert.h>
#include <stdlib.h>
#include <string.h>
struct sds { size_t len, cap; char *buf; };

void sds_clear(struct sds *s) {
    s->len = 0;
    if (s->cap > 0) s->buf[0] = 0;
    assert(s->len == 0);
}

size_t sds_avail(struct sds *s) {
    size_t a = s->cap - s->len;
    assert(a <= s->cap);
    return a;
}

size_t sds_avail_ok(struct sds *s) {
    size_t a = s->len > s->cap ? 0 : s->cap - s->len;
    assert(a <= s->cap);
    return a;
}

int sds_setlen(struct sds *s, size_t n) {
    if (n > s->cap) return -1;
    s->len = n;
    assert(s->len <= s->cap);
    return 0;
}

int sds_setlen_bad(struct sds *s, size_t n) {
    if (n > s->cap + 1) return -1;
    s->len = n;
    assert(s->len <= s->cap);
    return 0;
}

void sds_swap(struct sds *a, struct sds *b) {
    char *t = a->buf;
    size_t l = a->len;
    a->buf = b->buf;
    a->len = b->len;
    b->buf = t;
    b->len = l;
    assert(b->buf == t && b->len == l);
}

size_t sds_newcap(struct sds *s, size_t add) {
    size_t n = s->len + add;
    if (n < s->len) return 0;
    if (n < 1024) n *= 2;
    assert(n >= add);
    return n;
}

void sds_reset(struct sds *s) {
    char *old = s->buf;
    free(s->buf);
    s->buf = 0;
    s->len = 0;
    assert(s->buf == old);
}

void sds_free(struct sds *s) {
    free(s->buf);
    s->buf = 0;
    s->len = s->cap = 0;
    assert(!s->buf);
}
