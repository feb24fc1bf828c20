/* What needs memory of its own, or writes to the caller's. */

static int __wayproof_errno;

int *__wayproof___errno_location(void) { return &__wayproof_errno; }

void *malloc(unsigned long);
unsigned char __VERIFIER_nondet_uchar(void);

int __wayproof_posix_memalign(void **result, unsigned long alignment, unsigned long size)
{
    (void)alignment;
    *result = malloc(size);
    return 0;
}

void __wayproof___VERIFIER_nondet_memory(void *memory, unsigned long size)
{
    unsigned char *bytes = memory;
    for (unsigned long i = 0; i < size; i++)
        bytes[i] = __VERIFIER_nondet_uchar();
}
