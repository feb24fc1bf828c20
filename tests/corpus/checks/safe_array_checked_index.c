// The index is checked before it is used.
// expect: safe
// decided: yes
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned counts[8] = { 0 };
    unsigned slot = __VERIFIER_nondet_uint();
    if (slot >= 8) return 1;
    counts[slot] = 1;
    return 0;
}
