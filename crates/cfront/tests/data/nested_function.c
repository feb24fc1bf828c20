int outer(int x) {
  int inner(int y) { return x + y; }
  auto int later(int);
  int later(int z) { return inner(z); }
  return later(1);
}
