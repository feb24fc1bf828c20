int loop(int n) {
  int i = 0;
again:
  i++;
  if (i < n) goto again;
  return i;
}
