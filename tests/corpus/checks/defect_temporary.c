// A pointer to a part of a temporary object is used after the full expression.
// expect: unsafe use-after-free 14
// decided: no
struct triple { int a[3]; };

static struct triple make(void)
{
    struct triple made = { { 1, 2, 3 } };
    return made;
}
int main(void)
{
    int *p = make().a;
    return *p;
}
