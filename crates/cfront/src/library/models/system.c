/* What needs memory of its own, or writes to the caller's. */

void *__wayproof_malloc(unsigned long size);

static int __wayproof_errno;

int *__wayproof___errno_location(void) { return &__wayproof_errno; }


int __wayproof_posix_memalign(void **result, unsigned long alignment, unsigned long size)
{
    if (alignment == 0 || alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0)
        return 22;
    *result = __wayproof_malloc(size);
    return 0;
}
