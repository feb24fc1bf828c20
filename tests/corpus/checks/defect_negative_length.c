// An array of variable length with a length from outside.
// expect: unsafe array-length 10
// decided: yes
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n > 100) return 0;
    int values[n];
    if (n > 0) values[0] = 1;
    return 0;
}
