// The index is checked after it is used.
// expect: unsafe array-bounds 10
// decided: yes
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned counts[8] = { 0 };
    unsigned slot = __VERIFIER_nondet_uint();
    counts[slot] = 1;
    if (slot >= 8) return 1;
    return 0;
}
