int f(int n) {
  __label__ one, two;
  static void *targets[] = { &&one, &&two };
  goto *targets[n];
one: return 1;
two: return 2;
}
