// A comparison function reads a member of its elements.
// expect: safe
// decided: yes
#include <stdlib.h>

struct entry { int key; int value; };

static int compare(const void *left, const void *right)
{
    const struct entry *first = left, *second = right;
    return first->value - second->value;
}
int main(void)
{
    struct entry entries[2] = { { 1, 5 }, { 2, 4 } };
    qsort(entries, 2, sizeof(struct entry), compare);
    return entries[0].value - 4;
}
