// A state that should be impossible.
// expect: unsafe assertion 12
// decided: yes
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int state = 0;
    for (int i = 0; i < 3; i++)
        if (__VERIFIER_nondet_int() == i) state++;
    if (state == 3) reach_error();
    return 0;
}
