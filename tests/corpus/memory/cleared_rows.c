// More is cleared than is read: as many rows as an input says.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void *malloc(unsigned long);
extern void *memset(void *, int, unsigned long);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned long rows = 1 + __VERIFIER_nondet_uint() % 5000;
    unsigned column = __VERIFIER_nondet_uint() % 2;
    unsigned char(*table)[2] = malloc(rows * sizeof *table);
    if (!table)
        return 1;
    memset(table, 0, rows * sizeof *table);
    if (rows > 3000 && (*table)[column] == 0)
        reach_error();
    return 0;
}
