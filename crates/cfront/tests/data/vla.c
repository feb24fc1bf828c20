int f(int n, int m[n]) {
  int a[n], b[n][n + 1];
  int (*p)[n] = b;
  return sizeof a + sizeof(int[n]) + p[0][1] + m[0];
}
void star(int n, int a[*], int b[static 2][*]);
