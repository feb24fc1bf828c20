// A number is read and written at addresses that are not aligned for it, inside the object.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    char bytes[12] = { 0 };
    int at = __VERIFIER_nondet_int();
    if (at < 0 || at > 8)
        return 0;
    int *number = (int *)(bytes + at);
    *number = 7;
    if (*number != 7)
        reach_error();
    return 0;
}
