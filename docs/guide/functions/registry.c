// A registry of devices with hooks: functions that are checked by themselves, with --entry.
#include <assert.h>
#include <stddef.h>

struct device {
    struct device *next;
    int id;
    enum { OFF, READY, BROKEN } state;
    int (*probe)(struct device *);
    union {
        unsigned port;
        const char *path;
    } where;
};

struct registry {
    struct device *first;
    unsigned count;
    void *owner;
};

#define MAX_DEVICES 16

int register_device(struct registry *r, struct device *d) {
    if (r->count >= MAX_DEVICES || d->probe(d) < 0) {
        return -1;
    }
    d->state = READY;
    d->next = r->first;
    r->first = d;
    r->count++;
    assert(r->count <= MAX_DEVICES && r->first->state == READY);
    return 0;
}

int first_ready(const struct registry *r) {
    const struct device *d = r->first;
    while (d && d->state != READY) {
        d = d->next;
    }
    assert(d); // no device need be ready
    return d->id;
}
