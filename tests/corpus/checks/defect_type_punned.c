// Behind a pointer to shorter numbers the loop takes the object for longer than it is.
// expect: unsafe out-of-bounds 11
// decided: yes
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int number = __VERIFIER_nondet_int();
    short *halves = (short *)&number;
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += halves[i];
    return sum > 0;
}
