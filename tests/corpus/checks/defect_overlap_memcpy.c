// memcpy moves bytes by one place within an array.
// expect: unsafe overlap 11
// decided: yes
extern void *memcpy(void *, const void *, unsigned long);

int main(void)
{
    char a[40];
    for (int i = 0; i < 40; i++)
        a[i] = (char)i;
    memcpy(a + 1, a, 5);
    return a[5] == 4;
}
