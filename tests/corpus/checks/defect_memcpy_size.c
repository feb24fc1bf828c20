// The size of the source instead of that of the target.
// expect: unsafe out-of-bounds 10
// decided: yes
extern void *memcpy(void *, const void *, unsigned long);

int main(void)
{
    int source[4] = { 1, 2, 3, 4 };
    int target[3];
    memcpy(target, source, sizeof source);
    return target[0];
}
