// A recursion that keeps its depth in a struct of the caller and restores it.
// expect: safe
// engines: gps gps-lite cra recmc path-invariants
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct walk { int depth; int steps; };

static int walk(struct walk *state, int n)
{
    if (n <= 0)
        return state->depth;
    state->depth++;
    state->steps += 2;
    int deepest = walk(state, n - 1);
    state->depth--;
    return deepest;
}

int main(void)
{
    struct walk state = {0, 0};
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 10000)
        return 0;
    int deepest = walk(&state, n);
    if (deepest != n || state.depth != 0)
        reach_error();
    return 0;
}
