// After removal no node with the value is left, whatever the values are.
// expect: safe
// engines: gps gps-lite impact recmc path-invariants bmc
extern void *malloc(unsigned long);
extern void free(void *);

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node {
    int value;
    struct node *next;
};

static void drop(struct node **link, int value)
{
    while (*link) {
        struct node *n = *link;
        if (n->value == value) {
            *link = n->next;
            free(n);
        } else {
            link = &n->next;
        }
    }
}

int main(void)
{
    struct node *list = ((void *)0);
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        if (!n)
            break;
        n->value = __VERIFIER_nondet_int();
        n->next = list;
        list = n;
    }
    drop(&list, 5);
    for (struct node *n = list; n; n = n->next)
        if (n->value == 5)
            reach_error();
    while (list) {
        struct node *n = list;
        list = n->next;
        free(n);
    }
    return 0;
}
