/* Jumps, lifetimes, places of all kinds, library models, builtins. */
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
static int depth;
int fsw(int x) { int r = 0; switch (x) { int y; case 0: r = 1; case 1: y = 5; r += y; break; case 2 ... 5: r = 20 + x; break; default: r = -1; { case 9: r += 100; } } return r; }
int duff(int n) { int c = 0, k = (n + 3) / 4; switch (n % 4) { case 0: do { c++; case 3: c++; case 2: c++; case 1: c++; } while (--k > 0); } return c; }
int jump(int n) { int i = 0, s = 0; 
  if (n == 3) goto inside;
  while (i < n) { int *p; int local = i; p = &local; s += *p; inside: i++; if (i == 7) goto out; }
out: { int z = 5; int *q = &z; s += *q; if (s < 40 && n != 3) { n--; i = 0; goto again; } }
  return s;
again: if (n > 0) { for (;;) { if (i++ > 3) break; } goto out; } return -s; }
int vla(int n, int m) { int a[n][m]; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = i * 10 + j; int b[n], *p = b; for (int i = 0; i < n; i++) p[i] = a[i][m - 1]; int s = sizeof a + sizeof b; for (int i = 0; i < n; i++) s += b[i]; return s; }
int row(int n, int (*a)[n], int r) { int s = 0; for (int i = 0; i < n; i++) s += a[r][i]; return s; }
union U { int i; unsigned char b[4]; float f; };
union V { int i; long l; };
struct F { int n; int d[]; }; static struct { int n; int d[3]; } flex = { 3, { 1, 2, 3 } };
struct Bits { unsigned a : 3; int b : 5; _Bool c : 1; unsigned long long d : 40; } gb = { 9, -3, 1, 1ULL << 39 };
static int sideeffects(void) { int a[5] = { 1, 2, 3, 4, 5 }, i = 0; a[i] = a[i + 1] + 0; i++; int j = i++ + a[2]; i = (i++, i + 1); int k = (a[1] = 7, a[1] + i); int x = a[0] ? a[0]-- : 0; x += x && a[3]++ || a[4]++; return i * 10000 + j * 1000 + k * 100 + x * 10 + a[3] + a[4]; }
static int stmtexpr(int x) { int r = ({ int y = x; int *p = &y; *p += 3; *p; }); return r + ({ int z = 4; z; }); }
static char *names[] = { "one", "two", [4] = "five" };
int argtest(const int *p) { return p[1]; }
int main(int argc, char **argv) {
  for (int i = -1; i < 11; i++) printf("%d ", fsw(i)); printf("\n");
  for (int i = 1; i < 9; i++) printf("%d ", duff(i)); printf("\n");
  for (int i = 0; i < 9; i++) printf("%d ", jump(i)); printf("\n");
  int mm[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
  printf("%d %d\n", vla(4, 3), row(3, mm, 1));
  union U u; u.i = 0x3f800000; printf("%d %g\n", u.b[3], u.f); union V v; v.l = 5; v.l++; printf("%ld\n", v.l);
  printf("%d %d\n", flex.d[2], (int)sizeof flex);
  printf("%u %d %d %llu\n", gb.a, gb.b, gb.c, (unsigned long long)gb.d); gb.a += 7; gb.b <<= 2; gb.c = 4; gb.d--; printf("%u %d %d %llu\n", gb.a, gb.b, gb.c, (unsigned long long)gb.d);
  struct Bits lb = gb; lb.a++; lb.b--; printf("%u %d\n", lb.a, lb.b);
  printf("%d %d\n", sideeffects(), stmtexpr(4));
  printf("%s %s %d\n", names[1], names[4], names[2] == 0);
  printf("%d\n", argtest((int[]){ 3, argc + 8 }));
  int *ps[3]; for (int i = 0; i < 3; i++) { ps[i] = (int[]){ i }; depth += *ps[i]; } printf("%d\n", depth);
  char buf[32]; strcpy(buf, "Hello"); strcat(buf, ", World"); for (char *c = buf; *c; c++) *c = isupper(*c) ? tolower(*c) : toupper(*c);
  printf("%s %d %d %d\n", buf, (int)strlen(buf), strcmp(buf, "hELLO") > 0, strncmp(buf, "hELLOx", 5));
  printf("%s %s %d\n", strchr(buf, 'w') ? "w" : "-", strstr(buf, "ORL"), abs(-5) + atoi(" -12x") + (int)strtol("0x1f", 0, 0));
  int *h = malloc(4 * sizeof *h); for (int i = 0; i < 4; i++) h[i] = i; h = realloc(h, 8 * sizeof *h); h[7] = 1; int t = 0; for (int i = 0; i < 4; i++) t += h[i]; free(h); printf("%d\n", t);
  printf("%d %d %d %d %d\n", __builtin_popcount(0xf0f), __builtin_clz(1), __builtin_ctz(8), __builtin_ffs(0), __builtin_parity(7));
  printf("%x %llx\n", __builtin_bswap32(0x12345678), (unsigned long long)__builtin_bswap64(0x1122334455667788ULL));
  int r; printf("%d", __builtin_add_overflow(2147483647, 1, &r)); printf(" %d ", r); unsigned char uc; printf("%d", __builtin_mul_overflow(20, 13, &uc)); printf(" %d\n", uc);
   
  do { if (argc > 5) continue; printf("once\n"); } while (0);
  int n = 3; while (n) if (--n == 1) continue; else printf("%d ", n); printf("\n");
  const char *q = argc > 100 ? "many" : "few"; printf("%s %d\n", q, argv[argc] == 0);
  float f = 1.5f; f++; f *= 2; double d = f; d -= 0.25; printf("%g %d %d\n", d, (int)d, d > 4 && f < 6);
  int z = 0; z = z++ + 1 > 0 ? (z ?: 8) : 3; printf("%d\n", z == 1 || z == 8);
  exit(3);
}
