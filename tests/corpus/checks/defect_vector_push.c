// A vector in a structure grows one element too late.
// expect: unsafe out-of-bounds 19
// decided: yes
extern int __VERIFIER_nondet_int(void);
extern void *realloc(void *, unsigned long);
extern void free(void *);

struct vector { int *items; int length, capacity; };

static int push(struct vector *v, int x)
{
    if (v->length > v->capacity || !v->items) {
        int capacity = v->capacity ? 2 * v->capacity : 2;
        int *items = realloc(v->items, capacity * sizeof *items);
        if (!items) return 0;
        v->items = items;
        v->capacity = capacity;
    }
    v->items[v->length++] = x;
    return 1;
}

int main(void)
{
    struct vector v = {0, 0, 0};
    int x = __VERIFIER_nondet_int(), last = 0;
    for (int i = 0; i < 3; i++) {
        if (!push(&v, i == 1 ? x : i)) {
            free(v.items);
            return 1;
        }
    }
    last = v.items[1] == x;
    free(v.items);
    return last;
}
