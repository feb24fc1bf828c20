asm(".globl symbol");
int f(void) { asm goto("" : : : : out); out: return 1; }
