// Trees and global hooks, as in cJSON.
// new_item open
// new_item_bad unsafe
// array_size safe
// array_size_bad open
// get_item safe
// is_num safe
// suffix safe
// set_num open
// detach safe
// deep unsafe
#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct cJ {
    struct cJ *next, *prev, *child;
    int type;
    char *valuestring;
    int valueint;
    double valuedouble;
    char *string;
} cJ;

static struct {
    void *(*allocate)(size_t);
    void (*deallocate)(void *);
} hooks = { malloc, free };

cJ *new_item(void) {
    cJ *c = hooks.allocate(sizeof *c);
    if (c) {
        memset(c, 0, sizeof *c);
        assert(c->next == 0 && c->type == 0);
    }
    return c;
}

cJ *new_item_bad(void) {
    cJ *c = hooks.allocate(sizeof *c);
    assert(c);
    return c;
}

int array_size(const cJ *a) {
    int n = 0;
    const cJ *c;
    if (!a) return 0;
    for (c = a->child; c && n < 1000; c = c->next) n++;
    assert(n >= 0);
    return n;
}

int array_size_bad(const cJ *a) {
    int n = 0;
    const cJ *c;
    for (c = a->child; c && n < 1000; c = c->next) n++;
    assert(n <= 2);
    return n;
}

cJ *get_item(const cJ *a, int i) {
    cJ *c = a->child;
    while (c && i > 0) {
        c = c->next;
        i--;
    }
    assert(!c || i <= 0);
    return c;
}

int is_num(const cJ *i) {
    if (!i) return 0;
    int r = (i->type & 0xFF) == 8;
    assert(r == 0 || r == 1);
    return r;
}

void suffix(cJ *prev, cJ *item) {
    prev->next = item;
    item->prev = prev;
    assert(prev->next->prev == prev);
}

int set_num(cJ *o, double n) {
    if (n >= 2147483647.0) o->valueint = 2147483647;
    else if (n <= -2147483648.0) o->valueint = -2147483647 - 1;
    else o->valueint = (int)n;
    o->valuedouble = n;
    assert(o->valueint >= 0);
    return o->valueint;
}

cJ *detach(cJ *parent, cJ *item) {
    if (!parent || !item) return 0;
    if (item == parent->child) parent->child = item->next;
    item->prev = 0;
    item->next = 0;
    assert(!item->next);
    return item;
}

int deep(cJ *a) {
    if (a->child && a->child->child && a->child->child->child) {
        assert(a->child->child->child->type != 5);
    }
    return 0;
}
