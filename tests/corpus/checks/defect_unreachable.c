// A case that is declared unreachable is reached for one input.
// expect: unsafe misuse 16
// decided: yes
extern int __VERIFIER_nondet_int(void);

static int sign(int x)
{
    switch ((x > 0) - (x < 0)) {
    case 1:
        return '+';
    case -1:
        return '-';
    default:
        break;
    }
    __builtin_unreachable();
}

int main(void)
{
    return sign(__VERIFIER_nondet_int()) == '+';
}
