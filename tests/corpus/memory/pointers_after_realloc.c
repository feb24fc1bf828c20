// A pointer in a block that realloc moves still leads to the same object, although the block gets smaller.
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int value = 0;
    int **table = calloc(4, sizeof *table);
    if (!table)
        return 1;
    table[0] = &value;
    table = realloc(table, sizeof *table);
    if (!table)
        return 1;
    *table[0] = __VERIFIER_nondet_int();
    if (value == 123456)
        reach_error();
    return 0;
}
