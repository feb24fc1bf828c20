// Reversing a list of three nodes visits them in the opposite order.
// expect: safe
// engines: gps gps-lite impact recmc path-invariants bse bmc

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node {
    int value;
    struct node *next;
};

static struct node *reverse(struct node *list)
{
    struct node *done = ((void *)0);
    while (list) {
        struct node *next = list->next;
        list->next = done;
        done = list;
        list = next;
    }
    return done;
}

int main(void)
{
    struct node n[3];
    for (int i = 0; i < 3; i++) {
        n[i].value = __VERIFIER_nondet_int();
        n[i].next = i < 2 ? &n[i + 1] : ((void *)0);
    }
    int first = n[0].value, last = n[2].value;
    struct node *list = reverse(&n[0]);
    if (list->value != last || list->next != &n[1] || list->next->next->value != first || n[0].next)
        reach_error();
    return 0;
}
