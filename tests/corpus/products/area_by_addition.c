// A product by repeated addition: the loop counts down, and adds in a wider type.
// expect: safe
// engines: gps gps-lite cra path-invariants tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int width = __VERIFIER_nondet_int(), rows = __VERIFIER_nondet_int();
    if (width < 0 || rows < 0)
        return 0;
    long area = 0;
    for (int left = rows; left > 0; left--)
        area += width;
    if (area != (long)width * rows)
        reach_error();
    return 0;
}
