// Figure 3 of the RecMC paper: the parameter is overwritten before and after the call.
// expect: safe
// engines: gps gps-lite cra recmc path-invariants
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int T(int t)
{
    if (t > 0) {
        t = t - 2;
        t = T(t);
        t = t + 1;
    }
    return t;
}

int main(void)
{
    int m0 = __VERIFIER_nondet_int();
    if (m0 < -1000000 || m0 > 1000000)
        return 0;
    int m = T(m0) - 2;
    if (m0 < 2 * m + 4)
        reach_error();
    return 0;
}
