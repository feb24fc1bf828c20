/* The last round writes behind the array. */
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int table[8];
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 8) {
        return 0;
    }
    for (int i = 0; i <= n; i++) {
        table[i] = i;
    }
    return table[0];
}
