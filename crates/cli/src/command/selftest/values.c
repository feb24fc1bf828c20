/* No input, one execution: the exit code is a digest of what compilers and interpreters may see differently. */
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct record {
    char tag;
    short part[3];
    union {
        uint32_t word;
        unsigned char byte[4];
    } both;
    struct record *next;
};

static uint32_t digest = 17;

static void add(long long value) {
    digest = digest * 31u + (uint32_t)value + (uint32_t)((uint64_t)value >> 32);
}

static int fold(int depth) {
    return depth == 0 ? 1 : depth * fold(depth - 1) % 1009;
}

int main(void) {
    struct record one = {'a', {1, -2, 3}, {0x01020304u}, 0}, two = one;
    two.next = &one;
    two.both.byte[0] ^= 0xff;
    add((long long)offsetof(struct record, both) + (long long)sizeof one);
    add(two.both.word);
    add(two.next->part[1] + two.part[2]);
    add((signed char)200 + (unsigned char)200 + (short)70000);
    add(INT_MAX % 1000 + (INT_MIN / 3) + (-17 >> 2) + (int)(3u << 31 >> 30));
    add((long long)(7.75 * 4 - 0.5f) + (int)-2.9 + (1.0 / 3 > 0.3333));
    add(fold(12));
    char text[16] = "selftest";
    text[strlen(text) - 1] = 'T';
    add(strcmp(text, "selftesT") == 0);
    for (unsigned i = 0, x = 1; i < 40; i++) {
        x = x * 1103515245u + 12345u;
        switch (x >> 28) {
        case 3:
            add(i);
            /* fall through */
        case 5:
            add(x & 0xffffu);
            break;
        default:
            add(~x % 7u);
        }
    }
    return (int)(digest % 199u);
}
