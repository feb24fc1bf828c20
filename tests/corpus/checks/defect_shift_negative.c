// A shift by the difference of two exponents, the wrong way round.
// expect: unsafe shift-amount 10
// decided: yes
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int low = __VERIFIER_nondet_int(), high = __VERIFIER_nondet_int();
    if (low < 0 || high < 0 || low > 20 || high > 20) return 0;
    unsigned scaled = 4096u >> (high - low);
    return scaled == 0;
}
