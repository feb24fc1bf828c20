// The loop visits one element too many.
// expect: unsafe array-bounds 13
// decided: yes
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int days[12];
    int total = 0;
    for (int i = 0; i < 12; i++)
        days[i] = 30;
    for (int i = 0; i <= 12; i++)
        total += days[i];
    return total;
}
