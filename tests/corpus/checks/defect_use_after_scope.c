// The address of a variable of a block is used behind the block.
// expect: unsafe use-after-free 14
// decided: yes
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int *p = 0, x = 1;
    p = &x;
    if (__VERIFIER_nondet_int()) {
        int inner = 2;
        p = &inner;
    }
    return *p;
}
