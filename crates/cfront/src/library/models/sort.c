/* Sorting. Which pairs are compared, how often and in which order is unspecified in C; here it is done as glibc does it, so that the
   result is the same for every comparison, consistent or not: the first half (the smaller one) and the second are sorted, then merged, and
   the first one goes first if the comparison says no more than 0. */

int __wayproof_own_malloc(void);
void *__wayproof_malloc(unsigned long size);
void __wayproof_free(void *memory);
void *__wayproof_memmove(void *to, const void *from, unsigned long n);
void __wayproof_unsupported_qsort_allocation(void);
void __wayproof_misuse(void);

/* Merges the sorted runs [low, middle) and [middle, high) and takes them back. Elements move as a whole: they may be pointers. */
static void __wayproof___wp_merge(
    char *base, char *copy, unsigned long low, unsigned long middle, unsigned long high, unsigned long size,
    int (*compare)(const void *, const void *))
{
    unsigned long left = low;
    unsigned long right = middle;
    for (unsigned long at = low; at < high; at++) {
        int takes_left = right >= high || (left < middle && compare(base + left * size, base + right * size) <= 0);
        char *source = base + (takes_left ? left : right) * size;
        __wayproof_memmove(copy + at * size, source, size);
        if (takes_left)
            left++;
        else
            right++;
    }
    __wayproof_memmove(base + low * size, copy + low * size, (high - low) * size);
}

/* The same for elements that stay where they are until all is sorted; pointers to them move. */
static void __wayproof___wp_merge_pointers(
    char **base, char **copy, unsigned long low, unsigned long middle, unsigned long high,
    int (*compare)(const void *, const void *))
{
    unsigned long left = low;
    unsigned long right = middle;
    for (unsigned long at = low; at < high; at++) {
        int takes_left = right >= high || (left < middle && compare(base[left], base[right]) <= 0);
        copy[at] = base[takes_left ? left : right];
        if (takes_left)
            left++;
        else
            right++;
    }
    for (unsigned long at = low; at < high; at++)
        base[at] = copy[at];
}

void __wayproof_qsort(
    void *array, unsigned long count, unsigned long size, int (*compare)(const void *, const void *))
{
    if (count == 0 && array == 0)
        __wayproof_misuse();
    char *base = array;
    int moves_pointers = size > 32;
    if (count <= 1)
        return;
    /* Small arrays are copied to the stack. */
    if ((moves_pointers ? 2 * count * sizeof(void *) + size : count * size) >= 1024 && __wayproof_own_malloc())
        __wayproof_unsupported_qsort_allocation();
    char *copy = __wayproof_malloc(count * size);
    char **pointers = 0;
    if (moves_pointers) {
        pointers = __wayproof_malloc(2 * count * sizeof(void *));
        for (unsigned long i = 0; i < count; i++)
            pointers[i] = base + i * size;
    }
    /* The runs of one level after the other, the shortest first; the bits of `run` tell which halves lead to it. */
    unsigned long runs = 1;
    while (runs < count)
        runs *= 2;
    while (runs > 1) {
        runs /= 2;
        for (unsigned long run = 0; run < runs; run++) {
            unsigned long low = 0;
            unsigned long length = count;
            for (unsigned long bit = runs / 2; bit > 0; bit /= 2) {
                unsigned long half = length / 2;
                low += run & bit ? half : 0;
                length = run & bit ? length - half : half;
            }
            if (length > 1 && moves_pointers)
                __wayproof___wp_merge_pointers(
                    pointers, pointers + count, low, low + length / 2, low + length, compare);
            else if (length > 1)
                __wayproof___wp_merge(base, copy, low, low + length / 2, low + length, size, compare);
        }
    }
    if (moves_pointers) {
        for (unsigned long i = 0; i < count; i++)
            __wayproof_memmove(copy + i * size, pointers[i], size);
        __wayproof_memmove(base, copy, count * size);
        __wayproof_free(pointers);
    }
    __wayproof_free(copy);
}
