// The moves of the towers of Hanoi by two calls are at least the discs.
// expect: safe
// engines: bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int moves(int discs)
{
    if (discs == 0)
        return 0;
    return moves(discs - 1) + 1 + moves(discs - 1);
}

int main(void)
{
    int discs = __VERIFIER_nondet_int();
    if (discs < 0 || discs > 30)
        return 0;
    if (moves(discs) < discs)
        reach_error();
    return 0;
}
