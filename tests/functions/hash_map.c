// A hash map with chains, hooks and untyped keys.
// map_init safe
// map_index safe
// map_index_bad unsafe
// map_count_chain safe
// chain_len unsafe
// map_find open
// map_new unsafe
// map_new_ok safe
// map_put_front safe
// map_full safe
#include <assert.h>
#include <stdlib.h>
struct entry { struct entry *next; unsigned hash; void *key; void *val; };

struct map {
    struct entry **buckets;
    unsigned nb, n;
    unsigned (*hash)(const void *);
    int (*equal)(const void *, const void *);
    void *(*alloc)(size_t);
    void (*release)(void *);
};
static unsigned int_hash(const void *k) { return *(const unsigned *)k * 31u; }

static int int_eq(const void *a, const void *b) {
    return *(const int *)a == *(const int *)b;
}

void map_init(struct map *m) {
    m->hash = int_hash;
    m->equal = int_eq;
    m->n = 0;
    assert(m->hash == int_hash);
}

unsigned map_index(struct map *m, void *key) {
    if (m->nb == 0) return 0;
    unsigned i = m->hash(key) % m->nb;
    assert(i < m->nb);
    return i;
}

unsigned map_index_bad(struct map *m, void *key) {
    if (m->nb == 0) return 0;
    unsigned i = m->hash(key) & m->nb;
    assert(i < m->nb);
    return i;
}

int map_count_chain(struct entry *e) {
    int n = 0;
    while (e && n < 100) {
        n++;
        e = e->next;
    }
    assert(n >= 0 && n <= 100);
    return n;
}

int chain_len(struct entry *e) {
    int n = 0;
    for (; e && n < 10; e = e->next) n++;
    assert(n < 3);
    return n;
}

struct entry *map_find(struct entry *e, unsigned h) {
    while (e) {
        if (e->hash == h) break;
        e = e->next;
    }
    assert(!e || e->hash == h);
    return e;
}

struct entry *map_new(struct map *m, unsigned h) {
    struct entry *e = m->alloc(sizeof *e);
    assert(e != 0);
    e->hash = h;
    return e;
}

struct entry *map_new_ok(struct map *m, unsigned h) {
    struct entry *e = m->alloc(sizeof *e);
    if (!e) return 0;
    e->hash = h;
    assert(e->hash == h);
    return e;
}

void map_put_front(struct map *m, struct entry *e) {
    unsigned old = m->n;
    if (old == ~0u) return;
    e->next = 0;
    m->n++;
    assert(m->n == old + 1 && !e->next);
}

int map_full(struct map *m) {
    int r = m->n > m->nb * 3 / 4;
    assert(r || m->n <= m->nb);
    return r;
}
