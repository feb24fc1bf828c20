// Tagged values and a state with a hook, as in Lua.
// setint safe
// setobj safe
// istrue unsafe
// istrue_ok safe
// callhook safe
// callhook_bad unsafe
// mark safe
// link_object safe
// gettop unsafe
// stack_int safe
#include <assert.h>
typedef struct GC { struct GC *next; unsigned char tt, marked; } GC;
typedef union { GC *gc; void *p; double n; long i; int b; } Value;
typedef struct { Value v; int tt; } TValue;

typedef struct State {
    struct State *prev;
    TValue *top, *base;
    TValue stack[20];
    int nci;
    int (*hook)(struct State *, int);
    void *ud;
    GC *all;
} State;

void setint(TValue *o, long i) {
    o->v.i = i;
    o->tt = 3;
    assert(o->tt == 3 && o->v.i == i);
}
void setobj(TValue *a, const TValue *b) { *a = *b; assert(a->tt == b->tt); }

int istrue(TValue *o) {
    int r = o->tt == 1 ? o->v.b : o->tt != 0;
    assert(r == 0 || r == 1);
    return r;
}

int istrue_ok(TValue *o) {
    int r = o->tt == 1 ? o->v.b != 0 : o->tt != 0;
    assert(r == 0 || r == 1);
    return r;
}

int callhook(State *L, int ev) {
    int old = L->nci;
    if (L->hook) L->hook(L, ev);
    assert(L->nci == old);
    return 0;
}

int callhook_bad(State *L, int ev) {
    int r = L->hook(L, ev);
    assert(r >= 0);
    return r;
}

void mark(GC *o) {
    if (o->marked) return;
    o->marked = 1;
    assert(o->marked == 1);
}

void link_object(State *L, GC *o) {
    o->next = L->all;
    L->all = o;
    assert(L->all == o);
}

int gettop(State *L) {
    int n = L->nci;
    if (n > 20) n = 20;
    assert(n >= 0);
    return n;
}

int stack_int(State *L, int i) {
    if (i < 0 || i >= 20) return -1;
    if (L->stack[i].tt != 3) return -1;
    L->stack[i].tt = 4;
    assert(L->stack[i].tt == 4);
    return 0;
}
