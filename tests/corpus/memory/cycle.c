// Input: 2 (the last node is linked to the node in the middle, so the walk passes more nodes than there are).
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node {
    struct node *next;
};

int main(void)
{
    struct node ring[4];
    for (int i = 0; i < 3; i++)
        ring[i].next = &ring[i + 1];
    int back = __VERIFIER_nondet_int();
    ring[3].next = back >= 0 && back < 4 ? &ring[back] : ((void *)0);
    int steps = 0;
    for (struct node *p = ring; p != ((void *)0) && steps < 10; p = p->next)
        steps++;
    if (steps > 4)
        reach_error();
    return 0;
}
