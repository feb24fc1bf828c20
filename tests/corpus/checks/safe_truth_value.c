// A truth value that was stored as one.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    _Bool seen[4] = { 0 };
    int x = __VERIFIER_nondet_int();
    if (x >= 0 && x < 4) seen[x] = 1;
    return seen[0];
}
