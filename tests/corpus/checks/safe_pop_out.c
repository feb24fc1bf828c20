// A stack hands out its top by pointer, in the expression that moves the top.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);

struct stack { int items[16]; int top; };
static int push(struct stack *s, int value)
{
    if (s->top == 16)
        return 0;
    s->items[s->top++] = value;
    return 1;
}
static int pop(struct stack *s, int *out)
{
    if (s->top == 0)
        return 0;
    *out = s->items[--s->top];
    return 1;
}
int main(void)
{
    struct stack s = { { 0 }, 0 };
    int last = 0;
    for (;;) {
        int value = __VERIFIER_nondet_int();
        if (value == 0)
            break;
        if (value > 0)
            push(&s, value);
        else
            pop(&s, &last);
    }
    return last != 0;
}
