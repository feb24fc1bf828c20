// All cases are there, and 0 has no leading zeros counted.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);

static int digit(unsigned x)
{
    switch (x & 3) {
    case 0: return '0';
    case 1: return '1';
    case 2: return '2';
    case 3: return '3';
    }
    __builtin_unreachable();
}

int main(void)
{
    unsigned x = (unsigned)__VERIFIER_nondet_int();
    return digit(x) - '0' + (x ? __builtin_clz(x) : 32);
}
