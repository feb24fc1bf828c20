// Input: 97 0 98 (strcpy stops at the zero byte, the copy is not equal).
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bse kind bmc tracer tracer-sp
extern void *memset(void *, int, unsigned long);
extern char *strcpy(char *, const char *);

extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);

int main(void)
{
    char from[4], to[4];
    for (int i = 0; i < 3; i++)
        from[i] = __VERIFIER_nondet_char();
    from[3] = '\0';
    memset(to, 0, sizeof to);
    strcpy(to, from);
    if (memcmp(from, to, sizeof from) != 0)
        reach_error();
    return 0;
}
