// The pointer leads to the inner struct of the chosen row; the other row keeps its values.
// expect: safe
// engines: none
extern _Bool __VERIFIER_nondet_bool(void);
extern short __VERIFIER_nondet_short(void);
extern void reach_error(void);

struct cell { short value; unsigned char flags; };
struct row { struct cell cells[2]; struct cell *marked; };
struct sheet { struct row rows[2]; };

static void mark(struct row *r, int column)
{
    r->marked = &r->cells[column];
    r->marked->flags |= 1;
}

int main(void)
{
    struct sheet s = { { { { { 1, 0 }, { 2, 0 } }, 0 }, { { { 3, 0 }, { 4, 0 } }, 0 } } };
    int y = __VERIFIER_nondet_bool(), x = __VERIFIER_nondet_bool();
    mark(&s.rows[y], x);
    s.rows[y].marked->value = __VERIFIER_nondet_short();
    struct row *other = &s.rows[1 - y];
    if (other->marked || other->cells[x].flags || !(s.rows[y].cells[x].flags & 1))
        reach_error();
    if (other->cells[0].value + 1 != other->cells[1].value)
        reach_error();
    return 0;
}
