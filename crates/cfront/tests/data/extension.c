__extension__ typedef long long quad;
__extension__ union { int a; struct { int b; }; } u;
__signed__ char c;
__const int d = 1;
__volatile__ int e;
static __inline__ int f(int *__restrict p) { return __extension__ *p; }
__extension__ int g(void) { __extension__ int x = 1; return __extension__ x; }
