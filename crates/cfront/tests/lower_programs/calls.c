/* Calls: records, further arguments, old definitions, pointers to functions. */
int printf(const char *, ...);
void *malloc(unsigned long);
void *realloc(void *, unsigned long);
void free(void *);
void exit(int);
void *memset(void *, int, unsigned long);
unsigned long strlen(const char *);
char *strcpy(char *, const char *);
char *strcat(char *, const char *);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, unsigned long);
char *strchr(const char *, int);
char *strstr(const char *, const char *);
int isupper(int), tolower(int), toupper(int), abs(int), atoi(const char *);
long strtol(const char *, char **, int);
struct Small { char c; int x; long y : 7; };
struct Big { int a[5]; char name[9]; double d; };
struct Inner { short s; struct Small in; };
static struct Big make(int k) { struct Big b; memset(&b, 0, sizeof b); for (int i = 0; i < 5; i++) b.a[i] = k * i; strcpy(b.name, "abc"); b.d = k / 4.0; return b; }
static struct Big change(struct Big b, int k) { b.a[2] += k; b.name[1] = 'X'; if (k > 0) return change(b, k - 1); return b; }
static struct Small twist(struct Small s) { struct Small t = s; t.x++; t.y = s.y * 3; return t; }
static int sum(int n, ...) { __builtin_va_list ap, aq; __builtin_va_start(ap, n); __builtin_va_copy(aq, ap); int t = 0; for (int i = 0; i < n; i++) t += __builtin_va_arg(ap, int); for (int i = 0; i < n; i++) t = t * 3 + __builtin_va_arg(aq, int); __builtin_va_end(ap); __builtin_va_end(aq); return t; }
static double mixed(const char *f, ...) { __builtin_va_list ap; __builtin_va_start(ap, f); double t = 0; for (; *f; f++) switch (*f) { case 'i': t += __builtin_va_arg(ap, int); break; case 'l': t += __builtin_va_arg(ap, long long); break; case 'd': t += __builtin_va_arg(ap, double); break; case 'p': t += *__builtin_va_arg(ap, int *); break; case 's': { struct Small s = __builtin_va_arg(ap, struct Small); t += s.x + s.y; break; } case 'b': { struct Big b = __builtin_va_arg(ap, struct Big); t += b.a[4] + b.d; break; } } __builtin_va_end(ap); return t; }
static int vsum(int n, __builtin_va_list ap) { int t = 0; while (n-- > 0) t += __builtin_va_arg(ap, int); return t; }
static int wrap(int n, ...) { __builtin_va_list ap; __builtin_va_start(ap, n); int r = vsum(n, ap); __builtin_va_end(ap); return r; }
int kr(a, b, c) char a; short b; float c; { return a * 100 + b * 10 + (int)c; }
int add(int a, int b) { return a + b; } int sub(int a, int b) { return a - b; } unsigned mulu(unsigned a, unsigned b) { return a * b; }
struct Small mk(int x) { struct Small s = { 'q', x, 5 }; return s; }
typedef int (*op)(int, int);
op table[] = { add, sub, (op)mulu };
static op pick(int i) { return table[i % 3]; }
static int apply(op f, int a, int b) { return f ? (*f)(a, b) : -1; }
static int counter; static int next(void) { return ++counter; }
int main(void) {
  struct Big b = change(make(3), 4);
  printf("%d %d %s %g\n", b.a[2], b.a[4], b.name, b.d);
  struct Small s = { 'a', 7, 9 };
  s = twist(twist(s)); printf("%c %d %d\n", s.c, s.x, (int)s.y);
  printf("%d\n", twist(s).x + make(2).a[3] + mk(5).y);
  printf("%d %d\n", sum(3, 1, 2, 3), sum(0));
  int v = 42; printf("%g\n", mixed("ildpsb", 1, 2LL, 2.5, &v, s, b));
  printf("%d\n", wrap(4, 1, 2, 3, 4));
  printf("%d\n", kr(1, 2, 3.7));
  for (int i = 0; i < 4; i++) printf("%d ", apply(pick(i), 10, i)); printf("%d\n", apply(0, 1, 1));
  struct Inner in = { 1, { 'z', 2, 3 } }, in2; in2 = in; in2.in.x = 50; struct Inner arr[3] = { in, in2 }; arr[2] = arr[1]; arr[2].in.y = -1;
  for (int i = 0; i < 3; i++) printf("%d %c %d %d\n", arr[i].s, arr[i].in.c, arr[i].in.x, (int)arr[i].in.y);
  struct { int i, j; } ss = { 2, 9 }, ar[3] = { { 1, 1 }, { 2, 2 }, { 0, 7 } }; ss = (struct { int i, j; } *)0 ? ss : ss; 
  struct T { int i, j; } t = { 2, 9 }, tr[3] = { { 1, 1 }, { 2, 2 }, { 0, 7 } }; t = tr[t.i]; printf("%d %d %d %d\n", t.i, t.j, ss.i, ar[1].j);
  tr[tr[0].i] = t; printf("%d %d\n", tr[1].i, tr[1].j);
  struct T u; u.i = 4; struct T w = u; struct T *pw = &w; struct T x = *pw; printf("%d\n", x.i);
  struct Small (*pf)(int) = mk; printf("%d\n", pf(77).x);
  int (*noproto)() = (int (*)())add; printf("%d\n", noproto(4, 5));
  int q = next() + next() * 10; printf("%d\n", q);
  return (int)strlen("hello");
}
