// Scores are clamped to 0..100 when they are stored, so their largest is in that range.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct student {
    int id;
    int score;
};

static int clamp(int v) { return v < 0 ? 0 : v > 100 ? 100 : v; }

static const struct student *best(const struct student *s, int n)
{
    const struct student *b = s;
    for (int i = 1; i < n; i++)
        if (s[i].score > b->score)
            b = &s[i];
    return b;
}

int main(void)
{
    struct student class[5];
    for (int i = 0; i < 5; i++) {
        class[i].id = i;
        class[i].score = clamp(__VERIFIER_nondet_int());
    }
    const struct student *b = best(class, 5);
    if (b->score > 100 || b->score < class[4].score || b->id < 0 || b->id > 4)
        reach_error();
    return 0;
}
