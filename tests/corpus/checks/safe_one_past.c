// The address one past the end is compared, not used.
// expect: safe
// decided: yes
int main(void)
{
    int values[3] = { 1, 2, 3 };
    int total = 0;
    for (int *p = values; p != values + 3; p++)
        total += *p;
    return total;
}
