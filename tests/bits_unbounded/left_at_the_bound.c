// Products of a counter and its bound, where the loop is left, or not entered at all.
// expect: safe
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int a = __VERIFIER_nondet_int();
    if (a > 10000 || a < -10000) return 0;
    long long n = 0, squares = 0;
    while (n <= a) {
        squares = squares + 2 * n + 1;
        n = n + 1;
    }
    if (squares != n * n) reach_error();
    if (a * n + n != n * n) reach_error();
    return 0;
}
