// The number of moves is at least the number of discs.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int moves(int discs)
{
    if (discs == 1)
        return 1;
    return 2 * moves(discs - 1) + 1;
}

int main(void)
{
    int discs = __VERIFIER_nondet_int();
    if (discs < 1)
        return 0;
    if (moves(discs) < discs)
        reach_error();
    return 0;
}
