/* Searching in arrays; glibc's steps. */

void *__wayproof_memmove(void *to, const void *from, unsigned long n);

void *__wayproof_bsearch(
    const void *key, const void *array, unsigned long count, unsigned long size, int (*compare)(const void *, const void *))
{
    unsigned long low = 0;
    unsigned long high = count;
    while (low < high) {
        unsigned long middle = (low + high) / 2;
        const char *element = (const char *)array + middle * size;
        int order = compare(key, element);
        if (order == 0)
            return (void *)element;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

void *__wayproof_lfind(
    const void *key, const void *array, unsigned long *count, unsigned long size,
    int (*compare)(const void *, const void *))
{
    for (unsigned long i = 0; i < *count; i++) {
        const char *element = (const char *)array + i * size;
        if (compare(key, element) == 0)
            return (void *)element;
    }
    return 0;
}

void *__wayproof_lsearch(
    const void *key, void *array, unsigned long *count, unsigned long size, int (*compare)(const void *, const void *))
{
    void *found = __wayproof_lfind(key, array, count, size, compare);
    if (found != 0)
        return found;
    char *element = (char *)array + *count * size;
    __wayproof_memmove(element, key, size);
    *count = *count + 1;
    return element;
}
