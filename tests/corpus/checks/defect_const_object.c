// A cast hides that an object is defined const.
// expect: unsafe read-only 8
// decided: yes
static const int limits[2] = { 3, 4 };

int main(void)
{
    ((int *)limits)[1] = 5;
    return 0;
}
