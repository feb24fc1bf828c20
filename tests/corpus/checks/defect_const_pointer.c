// A pointer is used to write to an object that is defined const.
// expect: unsafe read-only 9
// decided: no

int main(void)
{
    const int limits[3] = { 1, 2, 3 };
    int *p = (int *)limits;
    p[1] = 5;
    return limits[1];
}
