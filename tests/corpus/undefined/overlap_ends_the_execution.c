// Copying bytes to a place that overlaps theirs is undefined: no execution goes on.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern void reach_error(void);
extern void *memcpy(void *, const void *, unsigned long);
struct triple { int a[3]; };
union view { struct triple first; struct { int gap; struct triple second; } rest; };
extern int __VERIFIER_nondet_int(void);

int main(void) {
    char bytes[8] = "abcdefg";
    union view view = {{{1, 2, 3}}};
    if (__VERIFIER_nondet_int()) {
        memcpy(bytes + 1, bytes, 5);
        if (bytes[5] == 'e') reach_error();
    } else {
        view.rest.second = view.first;
        if (view.rest.second.a[2] == 3) reach_error();
    }
    return 0;
}
