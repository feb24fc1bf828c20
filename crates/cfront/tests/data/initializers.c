struct point { int x, y; struct { int z[3]; } inner; };
struct point origin = { .x = 1, .y = 2, .inner.z[1] = 3 };
int table[10] = { [2] = 4, [5 ... 7] = 6, 8, };
struct point points[] = { { 1, 2, { { 3, 4 } } }, [3] = { .y = 5 } };
char text[] = "abc" "def";
struct point *literal(void) { static struct point p; p = (struct point){ 1, .y = 2 }; return &p; }
int sum(void) { return ((int[]){ 1, 2, 3 })[1]; }
