// Input: 0 (the input 0 looks like the end of the list of numbers).
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bse kind bmc tracer tracer-sp
extern void *calloc(unsigned long, unsigned long);
extern void free(void *);

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int length(const int *numbers)
{
    int n = 0;
    while (numbers[n] != 0)
        n++;
    return n;
}

int main(void)
{
    int *numbers = calloc(4, sizeof *numbers);
    if (!numbers)
        return 1;
    numbers[0] = 10;
    numbers[1] = __VERIFIER_nondet_int();
    numbers[2] = 30;
    int n = length(numbers);
    free(numbers);
    if (n != 3)
        reach_error();
    return 0;
}
