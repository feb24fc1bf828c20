/* Sorting with an argument for the comparison; see sort.c. */

void __wayproof_qsort_r(
    void *array, unsigned long count, unsigned long size, int (*compare)(const void *, const void *, void *), void *data)
{
    char *base = array;
    char *spare = __builtin_malloc(size);
    for (unsigned long i = 1; i < count; i++) {
        unsigned long j = i;
        while (j > 0 && compare(base + (j - 1) * size, base + j * size, data) > 0) {
            j--;
            __builtin_memcpy(spare, base + j * size, size);
            __builtin_memcpy(base + j * size, base + (j + 1) * size, size);
            __builtin_memcpy(base + (j + 1) * size, spare, size);
        }
    }
    __builtin_free(spare);
}
