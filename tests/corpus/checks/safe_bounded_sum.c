// A sum of bounded numbers fits.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 1000; i++) {
        int x = __VERIFIER_nondet_int();
        if (x < 0 || x > 1000) continue;
        sum += x;
    }
    return sum < 0;
}
