// The length of the joined text is the sum of the lengths, and 4 + 5 + 1 fits into 12.
// expect: safe
// engines: gps gps-lite impact cra recmc path-invariants bmc
extern unsigned long strlen(const char *);
extern char *strcpy(char *, const char *);
extern int strcmp(const char *, const char *);
extern char *strcat(char *, const char *);

extern _Bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);

int main(void)
{
    char text[12];
    const char *head = __VERIFIER_nondet_bool() ? "left" : "up";
    const char *tail = __VERIFIER_nondet_bool() ? "-most" : "";
    strcpy(text, head);
    strcat(text, tail);
    if (strlen(text) != strlen(head) + strlen(tail))
        reach_error();
    if (memcmp(text, head, strlen(head)) != 0 || strcmp(text + strlen(head), tail) != 0)
        reach_error();
    return 0;
}
