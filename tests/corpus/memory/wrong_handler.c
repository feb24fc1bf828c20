// Input: 2 (command 2 is stop in the table, but start is expected).
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

struct motor {
    int running;
    void (*on_command[3])(struct motor *);
};

static void start(struct motor *m) { m->running = 1; }
static void stop(struct motor *m) { m->running = 0; }
static void reverse(struct motor *m) { m->running = -m->running; }

int main(void)
{
    struct motor m = { 1, { start, reverse, stop } };
    unsigned command = __VERIFIER_nondet_uint();
    if (command >= 3)
        return 0;
    m.on_command[command](&m);
    if (m.running == 0)
        reach_error();
    return 0;
}
