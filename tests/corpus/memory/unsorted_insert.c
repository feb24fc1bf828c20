// Input: 1 2 3 (with one node in the list the new one becomes the head, whatever its key).
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bse kind bmc tracer tracer-sp

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node {
    int key;
    struct node *next;
};

static void insert(struct node **list, struct node *n)
{
    struct node *p = *list;
    if (p == ((void *)0) || p->next == ((void *)0) || n->key <= p->key) {
        n->next = p;
        *list = n;
        return;
    }
    while (p->next != ((void *)0) && p->next->key < n->key)
        p = p->next;
    n->next = p->next;
    p->next = n;
}

int main(void)
{
    struct node nodes[3];
    struct node *list = ((void *)0);
    for (int i = 0; i < 3; i++) {
        nodes[i].key = __VERIFIER_nondet_int();
        insert(&list, &nodes[i]);
    }
    for (struct node *p = list; p->next != ((void *)0); p = p->next)
        if (p->key > p->next->key)
            reach_error();
    return 0;
}
