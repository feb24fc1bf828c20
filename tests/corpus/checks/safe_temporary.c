// A part of a temporary object is read in the full expression.
// expect: safe
// decided: yes
struct triple { int a[3]; };

static struct triple make(void)
{
    struct triple made = { { 1, 2, 3 } };
    return made;
}
int main(void)
{
    return make().a[1];
}
