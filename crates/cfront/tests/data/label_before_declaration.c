int f(int n) {
  if (n) goto end;
start: int x = 1;
  switch (n) { case 1: int y = 2; n = x + y; break; case 2: }
  goto start;
unused: __attribute__((unused));
end:
}
