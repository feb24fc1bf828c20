// A price in cents that an int cannot hold.
// expect: unsafe float-to-int 9
// decided: yes
int main(void)
{
    double price = 1.5;
    for (int i = 0; i < 40; i++)
        price = price * 2.0;
    int cents = (int)(price * 100.0);
    return cents == 0;
}
