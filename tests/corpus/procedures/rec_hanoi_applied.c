// A recursion that is not linear and counts in a global variable; the number is that of a linear recursion.
// expect: safe
// engines: bmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int counter;
static int moves(int discs) { return discs == 1 ? 1 : 2 * moves(discs - 1) + 1; }
static void move(int discs, int from, int to, int via)
{
    if (discs == 0)
        return;
    counter++;
    move(discs - 1, from, via, to);
    move(discs - 1, via, to, from);
}

int main(void)
{
    int discs = __VERIFIER_nondet_int();
    if (discs < 1 || discs > 31)
        return 0;
    counter = 0;
    move(discs, 1, 3, 2);
    if (counter != moves(discs))
        reach_error();
    return 0;
}
