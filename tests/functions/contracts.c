// Functions whose comments say what callers pass, and records in arrays that grow.
// crc_step safe
// window_copy safe
// window_max unsafe
// vec_push safe
// vec_push_full unsafe
// vec_last unsafe
// span_join safe
// span_bad unsafe
// code_kind safe
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

//@ requires n <= len(p);
unsigned crc_step(const unsigned char *p, size_t n)
{
    unsigned c = 0;
    for (size_t i = 0; i < n; i++) c = (c + p[i]) & 0xff;
    assert(c < 256);
    return c;
}

/*@ requires 0 <= n && n <= 64;
  @ requires n <= len(to);
  @ requires n <= len(from);
  @*/
int window_copy(char *to, const char *from, int n)
{
    int i = 0;
    while (i < n) {
        to[i] = from[i];
        i++;
    }
    assert(i <= 64 && i >= 0);
    return i;
}

//@ requires 2 <= n;
//@ requires n <= len(a);
int window_max(const int *a, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (a[i] > a[best]) best = i;
    assert(best > 0);
    return best;
}

struct item {
    int key;
    unsigned flags;
};

struct vec {
    struct item *items;
    unsigned size, capacity;
};

int vec_push(struct vec *v, struct item item)
{
    if (v->size >= v->capacity || v->capacity > 8) return 0;
    unsigned before = v->size;
    v->items[v->size++] = item;
    assert(v->size == before + 1 && v->size <= v->capacity);
    return 1;
}

int vec_push_full(struct vec *v, struct item item)
{
    if (v->size > v->capacity || v->capacity > 8) return 0;
    v->items[v->size++] = item;
    assert(v->size <= v->capacity);
    return 1;
}

int vec_last(struct vec *v)
{
    if (v->size == 0 || v->size > 4) return 0;
    struct item last = v->items[v->size - 1];
    assert(last.key != 17);
    return last.key;
}

struct point {
    int row, column;
};

struct span {
    struct point from, to;
    struct point offset;
};

static struct point later(struct point a, struct point b)
{
    if (a.row != b.row) return a.row > b.row ? a : b;
    return a.column > b.column ? a : b;
}

static struct point end_of(const struct span *s)
{
    return later(s->from, s->to);
}

void span_join(struct span *s, const struct span *other)
{
    s->to = later(s->to, end_of(other));
    assert(s->to.row >= other->from.row);
}

void span_bad(struct span *s, const struct span *other)
{
    s->to = later(s->to, end_of(other));
    assert(s->to.column >= other->from.column);
}

/* A table of functions, of which none is called here. */
static void put_byte(char **to, const char **from) { *(*to)++ = *(*from)++; }

static const struct codec {
    void (*put)(char **, const char **);
    unsigned char kinds[4];
} codec = { put_byte, { 1, 2, 2, 3 } };

int code_kind(int c)
{
    if (c < 0 || c > 3) return -1;
    int kind = codec.kinds[c];
    assert(kind >= 1 && kind <= 3);
    return kind;
}
