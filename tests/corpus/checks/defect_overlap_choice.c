// A part of an array is copied to a place that an input chooses; the places overlap for some.
// expect: unsafe overlap 13
// decided: yes
extern void *mempcpy(void *, const void *, unsigned long);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int a[20] = {0};
    int at = __VERIFIER_nondet_int();
    if (at < 7 || at > 12)
        return 0;
    mempcpy(a + at, a, 8 * sizeof(int));
    return a[at];
}
