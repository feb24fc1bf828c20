// Every element is written before all are read.
// expect: safe
// decided: yes
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned days[12];
    unsigned total = 0;
    for (int i = 0; i < 12; i++)
        days[i] = __VERIFIER_nondet_uint();
    for (int i = 0; i < 12; i++)
        total += days[i];
    return total == 5;
}
