// A ring of no slots.
// expect: unsafe division-by-zero 6
// decided: yes
extern unsigned __VERIFIER_nondet_uint(void);

static unsigned next(unsigned slot, unsigned slots) { return (slot + 1) % slots; }
int main(void)
{
    unsigned slots = __VERIFIER_nondet_uint();
    return next(3, slots & 15) == 0;
}
