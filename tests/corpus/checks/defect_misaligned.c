// A number at an address that is not aligned for it has its last byte behind the object.
// expect: unsafe out-of-bounds 10
// decided: yes
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    char bytes[12] = { 0 };
    int at = __VERIFIER_nondet_int();
    if (at >= 0 && at <= 9)
        *(int *)(bytes + at) = 7;
    return 0;
}
