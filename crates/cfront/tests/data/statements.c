extern int g(int);
int f(int n) {
  int i, sum = 0;
  for (i = 0; i < n; i++) sum += i;
  for (int j = 0, k = 1; j < k; j++) { if (j == 3) continue; sum++; }
  for (;;) break;
  while (n > 0) { n--; if (n == 5) break; else if (n == 4) continue; else ; }
  do { sum--; } while (sum > 10);
  switch (sum) { case 1: case 2: sum = 3; break; default: ; }
  if (sum) if (n) return 1; else return 2;
  goto out;
out:
  g(sum);
  return sum;
}
