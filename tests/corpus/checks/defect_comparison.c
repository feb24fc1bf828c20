// A comparison function reads the neighbour of an element. C does not say which elements a sort compares.
// expect: unsafe out-of-bounds 8
// decided: no
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    return ((const int *)left)[1] - *(const int *)right;
}
int main(void)
{
    int values[2] = { 1, 2 };
    qsort(values, 2, sizeof(int), compare);
    return 0;
}
