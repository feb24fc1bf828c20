// A list is built, summed and freed.
// expect: safe
// decided: yes
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);

struct node { int value; struct node *next; };
int main(void)
{
    struct node *list = 0;
    unsigned sum = 0;
    for (int i = 0; i < 3; i++) {
        struct node *fresh = malloc(sizeof *fresh);
        fresh->value = i;
        fresh->next = list;
        list = fresh;
    }
    while (list) {
        struct node *next = list->next;
        sum += (unsigned)list->value;
        free(list);
        list = next;
    }
    return sum != 3;
}
