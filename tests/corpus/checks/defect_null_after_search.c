// The last element of a list has no successor.
// expect: unsafe null-dereference 14
// decided: yes
extern void *malloc(unsigned long);
extern void free(void *);

struct node { int value; struct node *next; };
int main(void)
{
    struct node *only = malloc(sizeof *only);
    only->value = 1;
    only->next = 0;
    struct node *second = only->next;
    int value = second->value;
    free(only);
    return value;
}
