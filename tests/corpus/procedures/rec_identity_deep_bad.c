// Linear recursion, 400 activations deep.
// expect: unsafe
// engines: gps gps-lite
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int id(int x)
{
    if (x == 0)
        return 0;
    return id(x - 1) + 1;
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (id(x) == 400)
        reach_error();
    return 0;
}
