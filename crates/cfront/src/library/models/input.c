/* Inputs that are written to memory. */

unsigned char __VERIFIER_nondet_uchar(void);

void __wayproof___VERIFIER_nondet_memory(void *memory, unsigned long size)
{
    unsigned char *bytes = memory;
    for (unsigned long i = 0; i < size; i++)
        bytes[i] = __VERIFIER_nondet_uchar();
}
