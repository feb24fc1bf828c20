// Takeuchi's function: calls as arguments of calls.
// expect: safe
// engines: gps recmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int tak(int x, int y, int z)
{
    if (y >= x)
        return z;
    return tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y));
}

int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
    if (x < 0 || x > 10 || y < 0 || y > 10 || z < 0 || z > 10)
        return 0;
    int r = tak(x, y, z);
    if (r < 0 || r > 10)
        reach_error();
    return 0;
}
