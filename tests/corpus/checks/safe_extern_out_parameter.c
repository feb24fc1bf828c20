// A function without body gets the address of a variable: it may have written there. It writes nothing else.
// expect: safe
// decided: yes
extern void reach_error(void);
extern void measure(int *result);

int main(void)
{
    int result, other = 5;
    measure(&result);
    measure(&other);
    if (other != 5)
        reach_error();
    return result != 0;
}
