// The index is used only if something was found.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int keys[4] = { 2, 3, 5, 7 };
    int wanted = __VERIFIER_nondet_int(), found = -1;
    for (int i = 0; i < 4; i++)
        if (keys[i] == wanted) found = i;
    return found >= 0 ? keys[found] : 0;
}
