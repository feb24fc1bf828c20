// Copies within one array that do not overlap, that overlap exactly, or that may overlap.
// expect: safe
// decided: yes
extern void *memcpy(void *, const void *, unsigned long);
extern void *memmove(void *, const void *, unsigned long);
extern int __VERIFIER_nondet_int(void);
struct pair { int a[2]; };

static void assign(struct pair *to, const struct pair *from)
{
    *to = *from;
}
int main(void)
{
    struct pair pairs[4] = {{{0, 0}}};
    int bytes[20] = {0};
    int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int();
    if (i < 0 || i > 3 || j < 0 || j > 3)
        return 0;
    pairs[i] = pairs[j];
    assign(&pairs[1], &pairs[2]);
    assign(&pairs[1], &pairs[1]);
    memcpy(bytes + 8 + i, bytes, 8 * sizeof(int));
    memcpy(bytes, bytes, 8 * sizeof(int));
    memmove(bytes + 1, bytes, 8 * sizeof(int));
    return 0;
}
