// A list whose last node leads back to the first is freed as if it had an end.
// expect: unsafe use-after-free 19
// decided: yes
extern void *malloc(unsigned long);
extern void free(void *);
struct node { struct node *next; };
static struct node *made(struct node *next)
{
    struct node *node = malloc(sizeof *node);
    node->next = next;
    return node;
}
int main(void)
{
    struct node *last = made(0);
    struct node *first = made(made(last));
    last->next = first;
    while (first) {
        struct node *next = first->next;
        free(first);
        first = next;
    }
    return 0;
}
