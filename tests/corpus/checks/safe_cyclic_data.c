// A ring of three records is walked for as long as somebody wants.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);
struct node { int value; struct node *next; };
int main(void)
{
    struct node one, two, three;
    one.value = 1, two.value = 2, three.value = 3;
    one.next = &two, two.next = &three, three.next = &one;
    struct node *at = &one;
    int last = 0;
    while (__VERIFIER_nondet_int()) {
        last = at->value;
        at = at->next;
    }
    return last;
}
