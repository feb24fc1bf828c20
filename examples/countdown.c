// Recursion is inlined up to a limit; where an input decides how deep it goes, nothing is claimed. The loop beside it is proved.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int steps(int n) {
#ifdef LOOP
    int count = 0;
    while (n > 0) {
        n--;
        count++;
    }
    return count;
#else
    return n <= 0 ? 0 : 1 + steps(n - 1);
#endif
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n >= 0 && n < 100000 && steps(n) != n) {
        reach_error();
    }
    return 0;
}
