// A counter stays in its range.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int state = 0;
    while (__VERIFIER_nondet_int()) {
        if (state < 5) state++;
        else state = 0;
    }
    if (state < 0 || state > 5) reach_error();
    return 0;
}
