// The mean of four numbers between 0 and 100 is divided by one less: it may be more than 100.
// expect: unsafe assertion 20
// decided: yes
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);

static double mean(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    return sum / (n - 1);
}

int main(void) {
    double x[4];
    for (int i = 0; i < 4; i++) {
        x[i] = __VERIFIER_nondet_double();
        if (!(x[i] >= 0.0 && x[i] <= 100.0)) return 0;
    }
    double m = mean(x, 4);
    if (!(m >= 0.0 && m <= 100.0)) reach_error();
    return 0;
}
