// Every branch gives the flag a value.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int ready;
    int x = __VERIFIER_nondet_int();
    if (x > 0) ready = 1;
    else if (x < 0) ready = 2;
    else ready = 3;
    return ready > 3;
}
