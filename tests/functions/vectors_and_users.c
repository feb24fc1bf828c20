// Vectors, hooks that allocate, and user data behind `void *`.
// append safe
// append_alias unsafe
// local_vector safe
// create safe
// create_level unsafe
// create_twice unsafe
// user_count safe
// user_limit unsafe
// user_two unsafe
#include <assert.h>
#include <stddef.h>

struct vector { int *items; int length, capacity; };

int append(struct vector *v, int x) {
    if (v->length < 0 || v->length >= v->capacity) return 0;
    v->items[v->length++] = x;
    assert(v->length > 0 && v->length <= v->capacity);
    return 1;
}

int append_alias(struct vector *v, int x) {
    int n = v->length;
    int *p = x ? &v->length : &n;
    *p = 7;
    assert(v->length == 7 || x == 0 || n == 8);
    assert(x == 0 || n != 7);
    return 0;
}

int local_vector(int x) {
    int a[4] = {0, 0, 0, 0};
    struct vector v = {a, 0, 4};
    v.items[v.length++] = x;
    v.items[v.length++] = x;
    assert(a[0] == a[1] && v.length == 2);
    return 0;
}

struct context { int level; struct context *parent; int depth; };
struct hooks { void *(*allocate)(size_t); void (*release)(void *); void *user; };

struct context *create(const struct hooks *h, int level) {
    struct context *c = h->allocate(sizeof *c);
    if (!c) return 0;
    c->level = level;
    c->parent = 0;
    c->depth = 1;
    assert(c->level == level && c->parent == 0 && c->depth == 1);
    return c;
}

struct context *create_level(const struct hooks *h, int level) {
    struct context *c = h->allocate(sizeof *c);
    if (!c) return 0;
    c->level = level < 0 ? 6 : level;
    c->depth = 1;
    assert(c->level <= 9);
    return c;
}

int create_twice(const struct hooks *h) {
    struct context *a = h->allocate(sizeof *a), *b = h->allocate(sizeof *b);
    if (!a || !b) return 0;
    a->level = 1;
    b->level = 2;
    assert(a->level == 1);
    return 0;
}

void user_count(void *data) {
    struct context *c = data;
    if (c->level < 0 || c->level > 100) return;
    c->level++;
    c->depth = c->level;
    assert(c->depth > 0 && c->depth == c->level);
}

void user_limit(void *data, int value) {
    struct context *c = data;
    c->level = value;
    c->depth = 0;
    assert(c->level >= c->depth);
}

void user_two(void *data, int *out) {
    struct context *c = data;
    *out = c->level;
    c->depth = *out;
    assert(c->depth != 12);
}
