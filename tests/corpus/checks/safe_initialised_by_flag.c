// The value is read only if the flag says that it is there.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int value, has_value = 0;
    if (__VERIFIER_nondet_int() > 7) {
        value = 4;
        has_value = 1;
    }
    if (has_value) return value != 4;
    return 0;
}
