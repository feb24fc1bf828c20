// Front end: declarations, conversions and control flow of all kinds. The text is repeated with other numbers for @.
typedef struct item@ { int key; unsigned char kind; struct item@ *next; union { long wide; short pair[2]; } value; } item@;
enum kind@ { FREE@, SMALL@ = 3, LARGE@ = 1 << 5 };
static item@ pool@[8];
static const char name@[] = "item " "@";
static unsigned used@, steps@;

static int weigh@(const item@ *item, int limit) {
    int sum = 0;
    for (int depth = 0; item && depth < limit; depth++, item = item->next) {
        switch (item->kind) {
        case FREE@:
            continue;
        case SMALL@:
            sum += item->value.pair[0] + (short)(item->key * 3);
            break;
        case LARGE@:
            sum += (int)(item->value.wide >> 4) & 0x7f;
            /* fall through */
        default:
            sum ^= sizeof(item@) > 16 ? ~item->key : -item->key;
        }
        if (sum > 1000 || (sum < -1000 && depth % 2 == 0)) {
            goto out;
        }
    }
out:
    return sum;
}

static item@ *take@(int key, enum kind@ kind) {
    if (used@ == sizeof pool@ / sizeof pool@[0]) {
        return (item@ *)0;
    }
    item@ *fresh = &pool@[used@++];
    fresh->key = key;
    fresh->kind = (unsigned char)kind;
    fresh->value.wide = kind == LARGE@ ? 1L << (key & 15) : 0;
    fresh->next = used@ > 1 ? fresh - 1 : (item@ *)0;
    return fresh;
}

int round@(int seed) {
    unsigned state = (unsigned)seed + name@[1];
    do {
        state = state * 1103515245u + 12345u;
        item@ *fresh = take@((int)(state >> 16) % 100, state & 4 ? SMALL@ : LARGE@);
        if (!fresh) {
            break;
        }
        steps@ += weigh@(fresh, 4) != 0;
    } while (steps@ < 20u);
    return (int)(steps@ + used@);
}
