// The mask of a word has a case of its own.
// expect: safe
// decided: yes
extern unsigned __VERIFIER_nondet_uint(void);

static unsigned mask(unsigned bits) { return bits >= 32 ? ~0u : (1u << bits) - 1; }
int main(void) { return mask(__VERIFIER_nondet_uint()) == 3; }
