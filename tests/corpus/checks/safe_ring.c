// A ring of at least one slot.
// expect: safe
// decided: yes
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned slots = __VERIFIER_nondet_uint() % 16 + 1, slot = 0;
    for (unsigned i = 0; i < 40; i++)
        slot = (slot + 1) % slots;
    return slot >= slots;
}
