// Search with dead ends, without summaries: that no lock is taken twice or left taken must be learnt from refuted paths.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int first = 0, second = 0, third = 0, rounds = 0;
    while (__VERIFIER_nondet_int() && rounds < 40) {
        int wants_first = __VERIFIER_nondet_int();
        int wants_second = __VERIFIER_nondet_int();
        int wants_third = __VERIFIER_nondet_int();
        if (first + second + third != 0) {
            reach_error();
        }
        if (wants_first) {
            first = 1;
        }
        if (wants_second) {
            second = 1;
        }
        if (wants_third) {
            third = rounds + 1;
        }
        if (wants_first) {
            first--;
        }
        if (wants_second) {
            second--;
        }
        if (wants_third) {
            third -= rounds + 1;
        }
        rounds++;
    }
    return 0;
}
