// The mask of all 32 bits needs a shift by 32.
// expect: unsafe shift-amount 10
// decided: yes
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned bits = __VERIFIER_nondet_uint();
    if (bits > 32) return 0;
    unsigned mask = (1u << bits) - 1;
    return mask == 3;
}
