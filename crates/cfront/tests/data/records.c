struct empty {};
struct bits { unsigned a : 3, b : 5; int : 0; unsigned : 2; _Bool flag : 1; };
struct flexible { int n; int data[]; };
struct zero { int n; int data[0]; };
union value { int i; float f; struct { short low, high; }; };
enum color { RED, GREEN = 5, BLUE = GREEN + 1, };
struct list { struct list *next; enum color c; union value v; };
int get(struct list *l) { return l->next->v.low + (*l).c + l[0].v.i; }
