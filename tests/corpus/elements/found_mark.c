// A search ends no later than at the mark that was put there.
// expect: safe
// engines: gps gps-lite cra tracer
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int a[10000], mark = __VERIFIER_nondet_int(), place = __VERIFIER_nondet_int();
    for (int i = 0; i < 10000; i++) a[i] = __VERIFIER_nondet_int();
    if (place < 0 || place >= 10000) return 0;
    a[place] = mark;
    int i = 0;
    while (a[i] != mark) i++;
    if (i > place) reach_error();
    return 0;
}
