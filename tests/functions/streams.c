// Streams with functions for allocation, as in zlib.
// session_ok unsafe
// session_owner safe
// zinit open
// zinit_bad unsafe
// zreset safe
// zcheck unsafe
// zconsume safe
// zbits unsafe
// zend safe
// zlevel safe
// zglobal unsafe
// zlens safe
#include <assert.h>
#include <stdlib.h>
#include <string.h>
typedef void *(*alloc_func)(void *opaque, unsigned items, unsigned size);
typedef void (*free_func)(void *opaque, void *p);
struct istate; 

typedef struct {
    const unsigned char *next_in;
    unsigned avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned avail_out;
    const char *msg;
    struct istate *state;
    alloc_func zalloc;
    free_func zfree;
    void *opaque;
    int data_type;
} zs;

struct istate {
    int mode;
    zs *strm;
    unsigned wbits, wsize;
    unsigned char *window;
    unsigned short lens[320];
    unsigned char work[9000];
};

int zinit(zs *s) {
    if (!s->zalloc) return -1;
    struct istate *st = s->zalloc(s->opaque, 1, sizeof *st);
    if (!st) return -4;
    st->mode = 1;
    st->strm = s;
    s->state = st;
    assert(s->state->mode == 1);
    return 0;
}

int zinit_bad(zs *s) {
    struct istate *st = s->zalloc(s->opaque, 1, sizeof *st);
    assert(st);
    return 0;
}

int zreset(zs *s) {
    if (!s || !s->state) return -2;
    s->total_in = 0;
    s->state->mode = 0;
    s->state->wsize = 0;
    assert(s->total_in == 0 && s->state->mode == 0);
    return 0;
}

int zcheck(zs *s) {
    struct istate *st = s->state;
    assert(st->strm == s);
    return st->mode;
}

int zconsume(zs *s, unsigned n) {
    unsigned a = s->avail_in;
    if (n > a) n = a;
    s->avail_in -= n;
    s->next_in += n;
    assert(s->avail_in <= a);
    return n;
}

int zbits(zs *s, int bits) {
    if (bits < 0) bits = -bits;
    if (bits > 15) bits -= 16;
    s->state->wbits = bits;
    assert(s->state->wbits >= 8);
    return 0;
}

int zend(zs *s) {
    if (!s->state || !s->zfree) return -2;
    s->zfree(s->opaque, s->state);
    s->state = 0;
    assert(!s->state);
    return 0;
}

static int gl_level = 6;
static struct {
    alloc_func a;
    free_func f;
    int used;
} gl;

int zlevel(int l) {
    if (l < 0 || l > 9) return -1;
    gl_level = l;
    assert(gl_level <= 9);
    return 0;
}

int zglobal(void) {
    if (gl.used > 0) {
        assert(gl.a != 0 && gl.used < 100);
    }
    return 0;
}

int zlens(struct istate *st, int i) {
    if (i < 0 || i >= 320) return -1;
    st->lens[i] = 7;
    assert(st->lens[i] == 7);
    return 0;
}

struct coder { struct session *owner; int state; };
struct session { struct coder *coder; int total; };

int session_ok(struct session *s) {
    if (s->coder == 0 || s->coder->owner != s || s->coder->state < 3) return -1;
    assert(s->coder->state != 3);
    return 0;
}

int session_owner(struct session *s) {
    struct session *owner = s->coder->owner;
    if (owner == 0) return -1;
    owner->total = 5;
    assert(owner->total == 5);
    assert(owner != s || s->total == 5);
    return 0;
}
