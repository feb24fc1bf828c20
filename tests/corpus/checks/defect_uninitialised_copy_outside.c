// A record without a value for one member is copied to memory from outside, and that member is read there.
// expect: unsafe uninitialised 21
// decided: no
#include <string.h>

struct pair {
    int first, second;
};
struct four {
    int part[4];
};

extern void *place(void);
extern int choice(void);

int read_back(void *q)
{
    if (choice())
        return ((struct four *)q)->part[0];
    struct pair *pair = q;
    return pair->second;
}

int main(void)
{
    struct pair x;
    x.first = 1;
    void *q = place();
    if (!q)
        return 0;
    memcpy(q, &x, sizeof x);
    return read_back(q);
}
