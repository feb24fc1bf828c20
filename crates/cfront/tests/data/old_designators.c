struct point { int x, y; };
struct point p = { x: 1, y: 2 };
int a[] = { [1] 5, [2 ... 3] 6 };
