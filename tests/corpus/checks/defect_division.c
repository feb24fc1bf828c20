// A share of nothing: the number of heirs may be zero.
// expect: unsafe division-by-zero 12
// decided: yes
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned estate = __VERIFIER_nondet_uint();
    int heirs = __VERIFIER_nondet_int();
    if (heirs < 0 || heirs > 10) return 0;
    unsigned share = estate / (unsigned)heirs;
    return share == 7;
}
