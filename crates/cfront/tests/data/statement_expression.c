int largest(int a, int b) {
  return ({ int x = a; int y = b; x > y ? x : y; });
}
int nested(int a) { return ({ ({ a; }) + ({ int a = 2; a; }); }) + __extension__({ 1; }); }
