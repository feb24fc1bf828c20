// Intrusive lists, private data behind `void *`, and handles of an incomplete type.
// list_init safe
// list_add open
// list_empty safe
// task_prio safe
// cb_count safe
// cb_count_bad unsafe
// rd safe
// rd_bad unsafe
#include <assert.h>
#include <stddef.h>
struct list { struct list *next, *prev; };
struct task { int id, prio; struct list run; void *priv; };
#define container_of(p, T, m) ((T *)((char *)(p) - offsetof(T, m)))

void list_init(struct list *l) {
    l->next = l;
    l->prev = l;
    assert(l->next == l);
}

void list_add(struct list *n, struct list *h) {
    n->next = h->next;
    n->prev = h;
    if (h->next) h->next->prev = n;
    h->next = n;
    assert(h->next == n && n->prev == h);
}

int list_empty(struct list *h) {
    int r = h->next == h;
    assert(!r || h->prev == h);
    return r;
}

int task_prio(struct task *t) {
    struct list *l = &t->run;
    struct task *u = container_of(l, struct task, run);
    assert(u == t && u->prio == t->prio);
    return u->prio;
}
struct ctx { int n; int lim; };
/* T: void * private data */

int cb_count(void *ud) {
    struct ctx *c = ud;
    if (c->n < c->lim) {
        c->n++;
        assert(c->n <= c->lim);
    }
    return 0;
}

int cb_count_bad(void *ud) {
    struct ctx *c = ud;
    if (c->n <= c->lim && c->n < 1000) {
        c->n++;
        assert(c->n <= c->lim);
    }
    return 0;
}
struct handle; int handle_read(struct handle *h, int n);

int rd(struct handle *h, int n) {
    if (n < 0 || n > 10) return -1;
    int r = handle_read(h, n);
    if (r > n) r = n;
    if (r < 0) r = 0;
    assert(r <= 10);
    return r;
}

int rd_bad(struct handle *h, int n) {
    int r = handle_read(h, n);
    assert(r <= n);
    return r;
}
