// The new pointer is used after realloc.
// expect: safe
// decided: yes
extern void *malloc(unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);

int main(void)
{
    int *numbers = malloc(2 * sizeof(int));
    numbers[0] = 7;
    numbers = realloc(numbers, 4 * sizeof(int));
    int first = numbers[0];
    free(numbers);
    return first != 7;
}
