// A search stops late only if no earlier element is the key.
// expect: unsafe
// engines: gps gps-lite
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int a[4000];
    int i;
    for (i = 0; i < 4000; i++) a[i] = __VERIFIER_nondet_int();
    i = 0;
    while (i < 4000 && a[i] != 55) i++;
    if (i < 4000 && i > 2999) reach_error();
    return 0;
}
