// Memset writes 8 blanks, one of them is then replaced by the input.
// expect: safe
// engines: bmc
extern void *memcpy(void *, const void *, unsigned long);
extern void *memset(void *, int, unsigned long);

extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

int main(void)
{
    char line[9], copy[9];
    unsigned char at = __VERIFIER_nondet_uchar();
    memset(line, ' ', 8);
    line[8] = '\0';
    if (at >= 8)
        return 0;
    line[at] = '*';
    memcpy(copy, line, sizeof line);
    int stars = 0;
    for (char *p = copy; *p; p++)
        stars += *p == '*';
    if (stars != 1 || strchr(copy, '*') != copy + at)
        reach_error();
    return 0;
}
