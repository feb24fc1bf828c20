// A pointer runs over the end of the array it walks along.
// expect: unsafe out-of-bounds 10
// decided: yes
extern unsigned __VERIFIER_nondet_uint(void);

static int sum(const int *from, unsigned count)
{
    int total = 0;
    while (count-- > 0)
        total += *from++;
    return total;
}
int main(void)
{
    int values[3] = { 1, 2, 3 };
    unsigned count = __VERIFIER_nondet_uint();
    return count > 4 ? 0 : sum(values, count);
}
