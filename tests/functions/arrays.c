// Pointers that lead to arrays, although nobody says so: the number of elements is an input.
// skip_spaces safe
// count_bits safe
// clear open
// clear_too_few unsafe
// position unsafe
// position_found safe
// first_name unsafe
// digits safe
// push safe
// next_state safe
// acquire safe
// acquire_twice unsafe
// release unsafe
// swap_once safe
// kept_error unsafe
// later_error safe
// table_entry safe
// table_limit open
#include <assert.h>
#include <errno.h>
#include <stddef.h>

const char *skip_spaces(const char *s) {
    while (*s == ' ') s++;
    assert(*s != ' ');
    return s;
}

int count_bits(const unsigned char *bytes, int n) {
    int count = 0;
    for (int i = 0; i < n; i++) count += bytes[i] & 1;
    assert(n <= 0 || count >= 0);
    return count;
}

void clear(int *a, int n) {
    for (int i = 0; i < n; i++) a[i] = 0;
    assert(n < 3 || a[2] == 0);
}

void clear_too_few(int *a, int n) {
    for (int i = 0; i < n - 1; i++) a[i] = 0;
    assert(n < 1 || a[n - 1] == 0);
}

int position(const int *a, int n, int key) {
    for (int i = 0; i < n; i++)
        if (a[i] == key) {
            assert(i == 0);
            return i;
        }
    return -1;
}

int position_found(const int *a, int n, int key) {
    for (int i = 0; i < n; i++)
        if (a[i] == key) {
            assert(i >= 0 && i < n && a[i] == key);
            return i;
        }
    return -1;
}

int first_name(const char **names, int n) {
    if (n < 2) return 0;
    assert(names[1] == 0 || names[1][0] != 'x');
    return 1;
}

int digits(const char s[4]) {
    int value = 0;
    for (int i = 0; i < 4; i++) {
        if (s[i] < '0' || s[i] > '9') return -1;
        value = 10 * value + (s[i] - '0');
    }
    assert(value >= 0 && value <= 9999);
    return value;
}

struct vector { int *data; size_t length, capacity; };

void push(struct vector *v, int x) {
    if (v->length >= v->capacity) return;
    v->data[v->length++] = x;
    assert(v->length <= v->capacity);
}

struct state { struct state *next; int id; };

struct state *next_state(struct state *states, int n) {
    for (int i = 0; i + 1 < n; i++)
        if (states[i].id < states[i + 1].id) {
            assert(i + 1 < n);
            return &states[i];
        }
    return 0;
}

static int lock;

int acquire(void) {
    int old = __atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE);
    assert(__atomic_load_n(&lock, __ATOMIC_RELAXED) == 1);
    return old;
}

int acquire_twice(void) {
    int first = __sync_bool_compare_and_swap(&lock, 0, 1);
    int second = __sync_bool_compare_and_swap(&lock, 0, 1);
    assert(!second);
    assert(first);
    return first;
}

struct counted { unsigned short users; };

unsigned release(struct counted *c) {
    unsigned left = __atomic_sub_fetch(&c->users, 1, __ATOMIC_ACQ_REL);
    assert(left != 65535);
    return left;
}

int swap_once(int *place, int value) {
    int expected = *place, before = *place;
    int done = __atomic_compare_exchange_n(place, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    assert(done && *place == value && expected == before);
    return done;
}

int kept_error(void) {
    assert(errno != 7);
    return 0;
}

int later_error(int n) {
    errno = 0;
    if (n < 0) errno = EINVAL;
    assert(errno == 0 || n < 0);
    return errno;
}

extern const unsigned char table[];

int table_entry(unsigned char i) {
    int entry = table[i];
    assert(entry >= 0 && entry <= 255);
    return entry;
}

int table_limit(unsigned char i) {
    assert(table[i] < 200);
    return 0;
}

typedef int four __attribute__((vector_size(16)));

four added(four a, four b) { return a + b; }

__attribute__((target("avx2"))) static inline four sum(four a) { return added(a, a); }
