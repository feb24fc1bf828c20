struct S { int a; struct { int b[4]; } c; };
int f(int n) {
  return __builtin_offsetof(struct S, c.b[2]) + __builtin_types_compatible_p(int, typeof(n)) +
         __builtin_choose_expr(1, n, "x") + __alignof__(n) + __alignof__(struct S);
}
__auto_type deduced = 1;
double _Complex z;
double parts(void) { return __real__ z + __imag__ z; }
int size(void) { return sizeof(struct S){ 1 }.a; }
