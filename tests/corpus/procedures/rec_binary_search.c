// A binary search returns a position of the array or none.
// expect: safe
// engines: gps recmc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int a[64];
static int find(int lo, int hi, int key)
{
    if (lo >= hi)
        return -1;
    int mid = lo + (hi - lo) / 2;
    if (a[mid] == key)
        return mid;
    int r = find(lo, mid, key);
    if (r >= 0)
        return r;
    return find(mid + 1, hi, key);
}

int main(void)
{
    for (int i = 0; i < 64; i++)
        a[i] = __VERIFIER_nondet_int();
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 64)
        return 0;
    int r = find(0, n, 7);
    if (r < -1 || r >= 64)
        reach_error();
    return 0;
}
