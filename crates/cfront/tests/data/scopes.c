typedef int T;
T global;
int f(int T) { return T * 2; }
int g(void) { T x = 1; { int T = 2; x = T * x; } T y = x; return y; }
struct S { T T; T t : 3; };
int h(struct S *T) { return T->T; }
enum { A = sizeof(T) };
int i(void) { enum { T = 3 }; return T * A; }
typedef T U;
U j(U U) { return U; }
