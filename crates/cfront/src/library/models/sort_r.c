/* Sorting with an argument for the comparison; see sort.c. */

void __wayproof_qsort_r(
    void *array, unsigned long count, unsigned long size, int (*compare)(const void *, const void *, void *), void *data)
{
    char *base = array;
    for (unsigned long i = 1; i < count; i++) {
        unsigned long j = i;
        while (j > 0 && compare(base + (j - 1) * size, base + j * size, data) > 0) {
            j--;
            for (unsigned long k = j * size; k < (j + 1) * size; k++) {
                char byte = base[k];
                base[k] = base[k + size];
                base[k + size] = byte;
            }
        }
    }
}
