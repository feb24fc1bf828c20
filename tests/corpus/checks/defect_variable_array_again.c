// A jump back before the declaration of an array of variable length ends the array.
// expect: unsafe use-after-free 13
// decided: yes
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int(), *p = 0;
    if (n < 1 || n > 3)
        return 0;
again:
    if (p)
        return *p;
    int row[n];
    row[0] = 1;
    p = row;
    goto again;
}
