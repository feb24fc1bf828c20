// Current points to one of two globals, and only touch changes their counters, one a call.
// expect: safe
// engines: gps gps-lite cra recmc bself kind tracer tracer-sp
extern _Bool __VERIFIER_nondet_bool(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static struct mode { unsigned uses; } day, night;
static struct mode *current = &day;

static void toggle(void) { current = current == &day ? &night : &day; }
static void touch(void) { current->uses++; }

int main(void)
{
    unsigned calls = 0;
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        if (__VERIFIER_nondet_bool())
            toggle();
        touch();
        calls++;
    }
    if (day.uses + night.uses != calls)
        reach_error();
    return 0;
}
