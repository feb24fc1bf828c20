// A global that a procedure changes.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int calls;
static void tick(void) { if (calls < 3) calls++; }
int main(void) {
    int n = __VERIFIER_nondet_int();
    while (n-- > 0) tick();
    if (calls > 3) reach_error();
    return 0;
}
