// A ring buffer of eight slots: whatever the environment puts in and takes out, no index leaves the array.
//   wayproof run examples/ring_buffer.c --seed 1
#include <assert.h>

extern _Bool __VERIFIER_nondet_bool(void);
extern int __VERIFIER_nondet_int(void);

#define SLOTS 8u

static int slots[SLOTS];
static unsigned head, used;

static void put(int value) {
    unsigned at = (head + used) % SLOTS;
    assert(at < SLOTS);
    slots[at] = value;
    used++;
}

static int take(void) {
    assert(head < SLOTS);
    int value = slots[head];
    head = (head + 1) % SLOTS;
    used--;
    return value;
}

int main(void) {
    for (int round = 0; round < 1000; round++) {
        if (__VERIFIER_nondet_bool() && used < SLOTS) {
            put(__VERIFIER_nondet_int());
        } else if (used > 0) {
            take();
        }
        assert(used <= SLOTS);
    }
    return 0;
}
