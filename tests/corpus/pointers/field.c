// A field behind a pointer.
// expect: unsafe
// engines: bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct point { int x, y; };
static void move(struct point *p, int by) { p->x += by; }
int main(void) {
    struct point p = {1, 2};
    int by = __VERIFIER_nondet_int();
    if (by < 0 || by > 100) return 0;
    move(&p, by);
    if (p.x == 42) reach_error();
    return 0;
}
