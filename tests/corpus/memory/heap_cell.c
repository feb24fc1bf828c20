// The two blocks are distinct objects, so a store to one leaves the other alone.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void *malloc(unsigned long);
extern void *calloc(unsigned long, unsigned long);
extern void free(void *);

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int *a = malloc(sizeof *a);
    int *b = calloc(1, sizeof *b);
    if (a && b) {
        *a = __VERIFIER_nondet_int();
        int before = *a;
        if (*b != 0)
            reach_error();
        *b = 17;
        if (a == b || *a != before || *b != 17)
            reach_error();
    }
    free(a);
    free(b);
    return 0;
}
