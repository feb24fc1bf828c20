// The sum of the squares below 2000 does not fit.
// expect: unsafe signed-overflow 8
// decided: yes
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 2000; i++)
        sum += i * i;
    return sum > 0;
}
