int add(a, b) int a; int b; { return a + b; }
char *pick(table, index) char **table; unsigned index; { return table[index]; }
double none() { return 0.5; }
