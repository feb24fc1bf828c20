typedef __builtin_va_list va_list;
struct S { int a; struct { int b[4]; } c; };
int sum(int n, ...) {
  va_list ap;
  __builtin_va_start(ap, n);
  int r = __builtin_va_arg(ap, int);
  __builtin_va_end(ap);
  return r + __builtin_offsetof(struct S, c.b) + __builtin_expect(n, 1);
}
