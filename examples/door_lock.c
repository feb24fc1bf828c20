// A door lock that opens after the digits 4, 7, 1 in a row, and never with fewer than three digits.
// The error is a call of reach_error, as in the tasks of the software verification competition.
//   wayproof run examples/door_lock.c --input 4 --input 7 --input 1 --input -1
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum state { CLOSED, ONE_RIGHT, TWO_RIGHT, OPEN };

static enum state step(enum state state, int digit) {
    switch (state) {
    case CLOSED:
        return digit == 4 ? ONE_RIGHT : CLOSED;
    case ONE_RIGHT:
        return digit == 7 ? TWO_RIGHT : digit == 4 ? ONE_RIGHT : CLOSED;
    case TWO_RIGHT:
        return digit == 1 ? OPEN : digit == 4 ? ONE_RIGHT : CLOSED;
    default:
        return OPEN;
    }
}

int main(void) {
    enum state state = CLOSED;
    unsigned digits = 0;
    for (;;) {
        int digit = __VERIFIER_nondet_int();
        if (digit < 0 || digits == 100) {
            break;
        }
        state = step(state, digit);
        digits++;
    }
    if (state == OPEN && digits < 3) {
        reach_error();
    }
    return 0;
}
