// The flag has a value on one branch only.
// expect: unsafe uninitialised 10
// decided: yes
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int ready;
    if (__VERIFIER_nondet_int() > 0) ready = 1;
    return ready ? 1 : 0;
}
