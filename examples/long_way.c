// The error lies behind a thousand rounds of the loop; the summary of the loop says so at once.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    int i = 0, min = 0;
    while (i < n) { min++; i++; }
    if (min >= 1000) reach_error();
    return 0;
}
