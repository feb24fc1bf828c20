// One byte of 1,000 that are never written is looked at.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants
extern void reach_error(void);

int main(void) {
    unsigned char s[1000];
    int sum = 0;
    for (int i = 0; i < 1000; i++)
        if (s[i] == 200) { if (i == 777) sum = 1; }
    if (sum) reach_error();
    return 0;
}
