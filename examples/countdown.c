// The nodes of a balanced tree. A function that calls itself once becomes a loop; one that calls itself twice stays, and nothing is claimed. The loop beside it is proved.
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
    return n <= 0 ? 0 : 1 + steps(n / 2) + steps(n - 1 - n / 2);
#endif
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n >= 0 && n < 100000 && steps(n) != n) {
        reach_error();
    }
    return 0;
}
