// A countdown by jumps out of a function: `longjmp` is not supported, and nothing is claimed. The loop beside it is proved.
#include <setjmp.h>

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

#ifdef LOOP
static int countdown(int n) {
    while (n > 0) {
        n--;
    }
    return n;
}
#else
static jmp_buf again;
static int left;

static void step(void) {
    if (left > 0) {
        left--;
        longjmp(again, 1);
    }
}

static int countdown(int n) {
    left = n;
    setjmp(again);
    step();
    return left;
}
#endif

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n >= 0 && countdown(n) != 0) {
        reach_error();
    }
    return 0;
}
