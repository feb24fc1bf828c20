// The size of the target.
// expect: safe
// decided: yes
extern void *memcpy(void *, const void *, unsigned long);

int main(void)
{
    int source[4] = { 1, 2, 3, 4 };
    int target[3];
    memcpy(target, source, sizeof target);
    return target[2];
}
