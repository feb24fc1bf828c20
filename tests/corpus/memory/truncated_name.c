// Input: 7 (strncpy cuts names of five or more letters to four).
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bse kind bmc
extern void *memset(void *, int, unsigned long);
extern int strcmp(const char *, const char *);

extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

struct tag {
    char text[5];
};

static void set(struct tag *t, const char *text)
{
    strncpy(t->text, text, sizeof t->text - 1);
    t->text[sizeof t->text - 1] = '\0';
}

int main(void)
{
    char name[10];
    struct tag t;
    unsigned char n = __VERIFIER_nondet_uchar();
    if (n > 9)
        return 0;
    memset(name, 'n', n);
    name[n] = '\0';
    set(&t, name);
    if (strcmp(t.text, name) != 0)
        reach_error();
    return 0;
}
