/* Sorting and searching. Which pairs are compared, how often and in which order is unspecified in C and differs from glibc; the result
   is glibc's, which keeps the order of equal elements. */

/* Elements move as a whole: they may be pointers. */
static void __wayproof___wp_swap(char *a, char *b, char *spare, unsigned long size)
{
    __builtin_memcpy(spare, a, size);
    __builtin_memcpy(a, b, size);
    __builtin_memcpy(b, spare, size);
}

/* Merges the sorted runs [low, middle) and [middle, high) of `from` into `to`. */
static void __wayproof___wp_merge(
    char *to, char *from, unsigned long low, unsigned long middle, unsigned long high, unsigned long size,
    int (*compare)(const void *, const void *))
{
    unsigned long left = low;
    unsigned long right = middle;
    for (unsigned long at = low; at < high; at++) {
        int takes_left = right >= high || (left < middle && compare(from + left * size, from + right * size) <= 0);
        char *source = from + (takes_left ? left : right) * size;
        __builtin_memcpy(to + at * size, source, size);
        if (takes_left)
            left++;
        else
            right++;
    }
}

/* Many elements: runs of growing length, merged into a copy and taken back. */
static void __wayproof___wp_merge_sort(
    char *base, unsigned long count, unsigned long size, int (*compare)(const void *, const void *))
{
    char *copy = __builtin_malloc(count * size);
    for (unsigned long run = 1; run < count; run = run > count / 2 ? count : run * 2) {
        unsigned long low = 0;
        while (low < count) {
            unsigned long middle = count - low > run ? low + run : count;
            unsigned long high = count - middle > run ? middle + run : count;
            __wayproof___wp_merge(copy, base, low, middle, high, size, compare);
            low = high;
        }
        __builtin_memcpy(base, copy, count * size);
    }
    __builtin_free(copy);
}

void __wayproof_qsort(
    void *array, unsigned long count, unsigned long size, int (*compare)(const void *, const void *))
{
    char *base = array;
    if (count > 16) {
        __wayproof___wp_merge_sort(base, count, size, compare);
        return;
    }
    char *spare = __builtin_malloc(size);
    for (unsigned long i = 1; i < count; i++) {
        unsigned long j = i;
        while (j > 0 && compare(base + (j - 1) * size, base + j * size) > 0) {
            __wayproof___wp_swap(base + (j - 1) * size, base + j * size, spare, size);
            j--;
        }
    }
    __builtin_free(spare);
}
