// A protocol whose next state is a variable of its own, beside so many switches that not all combinations can be collected.
// expect: safe
// engines: gps impact recmc path-invariants
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int resumed = __VERIFIER_nondet_int();
    int a = 1, b = 1, c = 1, d = 1, e = 1, f = 1, g = 1, h = 1;
    int state = 10, next = 0, seen = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) a = 5; else if (a == 5) a = 6; else a = 7;
        if (__VERIFIER_nondet_int()) b = 5; else if (b == 5) b = 6; else b = 7;
        if (__VERIFIER_nondet_int()) c = 5; else if (c == 5) c = 6; else c = 7;
        if (__VERIFIER_nondet_int()) d = 5; else if (d == 5) d = 6; else d = 7;
        if (__VERIFIER_nondet_int()) e = 5; else if (e == 5) e = 6; else e = 7;
        if (__VERIFIER_nondet_int()) f = 5; else if (f == 5) f = 6; else f = 7;
        if (__VERIFIER_nondet_int()) g = 5; else if (g == 5) g = 6; else g = 7;
        if (__VERIFIER_nondet_int()) h = 5; else if (h == 5) h = 6; else h = 7;
        if (state == 10) {
            if (a == 6 || b == 6 || c == 6 || d == 6 || e == 6 || f == 6 || g == 6 || h == 6) state = 20;
        } else if (state == 20) {
            if (seen == 0) seen = 1;
            state = resumed ? 60 : 30;
        } else if (state == 30) {
            if (seen == 3) reach_error();
            state = 40;
        } else if (state == 40) {
            next = 60;
            state = 50;
        } else if (state == 50) {
            if (seen == 2) seen = 3;
            state = next;
        } else if (state == 60) {
            if (seen == 1) seen = 2;
            if (resumed) { next = 70; state = 50; } else { state = 80; }
        } else if (state == 70) {
            if (resumed) state = 90; else state = 30;
        } else if (state == 80) {
            if (resumed == 0) state = 90; else state = 30;
        }
    }
    return 0;
}
