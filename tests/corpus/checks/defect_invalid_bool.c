// A byte that is no truth value is read as one.
// expect: unsafe invalid-bool 11
// decided: yes
extern unsigned char __VERIFIER_nondet_uchar(void);

union view { unsigned char byte; _Bool truth; };
int main(void)
{
    union view view;
    view.byte = __VERIFIER_nondet_uchar();
    return view.truth;
}
