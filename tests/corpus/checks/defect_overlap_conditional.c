// One of two structures that a condition chooses overlaps the one that it is assigned to.
// expect: unsafe overlap 13
// decided: yes
extern int __VERIFIER_nondet_int(void);
struct triple { int a[3]; };
union view { struct triple first; struct { int gap; struct triple second; } rest; };

int main(void)
{
    union view view;
    struct triple other = {{4, 5, 6}};
    view.first = other;
    view.rest.second = __VERIFIER_nondet_int() ? other : view.first;
    return 0;
}
