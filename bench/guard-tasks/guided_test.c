// A guided test: the error needs eight inputs in a row that only the summary of the way ahead suggests.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    const int key[8] = {3, 14, 15, 92, 65, 35, 89, 79};
    int right = 0;
    for (int at = 0; at < 8; at++) {
        int digit = __VERIFIER_nondet_int();
        if (digit == key[at] + right) {
            right++;
        }
    }
    if (right == 8) {
        reach_error();
    }
    return 0;
}
