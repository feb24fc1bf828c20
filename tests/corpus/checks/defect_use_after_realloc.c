// The old pointer is used after realloc has moved the memory.
// expect: unsafe use-after-free 13
// decided: yes
extern void *malloc(unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);

int main(void)
{
    int *numbers = malloc(2 * sizeof(int));
    numbers[0] = 7;
    int *more = realloc(numbers, 4 * sizeof(int));
    int first = numbers[0];
    free(more);
    return first;
}
