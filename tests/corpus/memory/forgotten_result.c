// Input: 41 (the function changes its copy of the struct).
// expect: unsafe
// engines: gps gps-lite impact recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct clock {
    int minute;
    int hour;
};

static struct clock tick(struct clock c)
{
    if (++c.minute == 60) {
        c.minute = 0;
        c.hour = (c.hour + 1) % 24;
    }
    return c;
}

int main(void)
{
    struct clock c = { 0, 12 };
    c.minute = __VERIFIER_nondet_int();
    if (c.minute < 0 || c.minute > 59)
        return 0;
    int before = c.minute;
    struct clock *p = &c;
    tick(*p);
    if (p->minute == before)
        reach_error();
    return 0;
}
