// One long execution: no two rounds change the variables alike, so every round is executed.
extern void reach_error(void);

static unsigned table[64];

int main(void) {
    unsigned state = 1;
    for (unsigned round = 0; round < 60000; round++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        table[state % 64] += state & 0xff;
    }
    if (table[7] == 0) {
        reach_error();
    }
    return 0;
}
