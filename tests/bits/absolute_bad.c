// As absolute.c: the least value has no absolute value that is an int.
// expect: unsafe
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    unsigned mask = (unsigned)(x >> 31), a = ((unsigned)x ^ mask) - mask;
    if (a > 0x7fffffffu) reach_error();
    return 0;
}
