int *a[3], (*b)[3], *(*c(int))[2], (*d)(void);
int (*signal_like(int sig, void (*handler)(int)))(int);
void prototypes(int n, int x[static 3], int y[const], int z[n][n + 1], int (*f)(int, ...), ...);
typedef int (*binary)(int, int);
binary operations[4];
const char *const volatile names[2];
char (*(*complicated[3])(void))[5];
