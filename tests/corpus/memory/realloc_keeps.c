// Realloc keeps the contents up to the smaller size.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void *malloc(unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int first = __VERIFIER_nondet_int(), second = __VERIFIER_nondet_int();
    int *p = malloc(2 * sizeof *p);
    if (!p)
        return 1;
    p[0] = first;
    p[1] = second;
    int *q = realloc(p, 6 * sizeof *q);
    if (!q) {
        free(p);
        return 1;
    }
    for (int i = 2; i < 6; i++)
        q[i] = q[i - 2];
    if (q[4] != first || q[5] != second)
        reach_error();
    free(q);
    return 0;
}
