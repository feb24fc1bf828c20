// A structure is assigned to one that overlaps it in part: compilers copy it in pieces.
// expect: unsafe overlap 9
// decided: yes
struct triple { int a[3]; };
union view { struct triple first; struct { int gap; struct triple second; } rest; };

static void copy(struct triple *to, struct triple *from)
{
    *to = *from;
}
int main(void)
{
    union view view;
    view.first.a[0] = 1;
    view.first.a[1] = 2;
    view.first.a[2] = 3;
    copy(&view.rest.second, &view.first);
    return view.rest.second.a[2] == 3;
}
