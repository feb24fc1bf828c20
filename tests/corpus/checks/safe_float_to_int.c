// A number between 0 and 1 as hundredths.
// expect: safe
// decided: yes
int main(void)
{
    double part = 0.0;
    int hundredths = 0;
    for (int i = 0; i < 10; i++) {
        part = part + 0.05;
        hundredths = (int)(part * 100.0);
    }
    return hundredths > 60;
}
