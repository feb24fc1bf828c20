// A node is used after it was freed, to find the next one.
// expect: unsafe use-after-free 18
// decided: yes
extern void *malloc(unsigned long);
extern void free(void *);

struct node { struct node *next; };
int main(void)
{
    struct node *list = 0;
    for (int i = 0; i < 3; i++) {
        struct node *fresh = malloc(sizeof *fresh);
        fresh->next = list;
        list = fresh;
    }
    while (list) {
        free(list);
        list = list->next;
    }
    return 0;
}
