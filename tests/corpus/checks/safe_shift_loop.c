// A shift by the number of rounds, which is below the width.
// expect: safe
// decided: yes
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned value = __VERIFIER_nondet_uint(), ones = 0;
    for (unsigned i = 0; i < 32; i++)
        ones += value >> i & 1u;
    return ones > 32;
}
