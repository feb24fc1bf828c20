// One execution, 100,000 iterations.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants explicit
extern void reach_error(void);

int main(void) { int i = 0; while (i < 100000) i++; if (i == 100000) reach_error(); return 0; }
