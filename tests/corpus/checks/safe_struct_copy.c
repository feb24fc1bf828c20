// A record is copied before all its parts have values.
// expect: safe
// decided: yes
struct pair { int first, second; };
int main(void)
{
    struct pair a, b;
    a.first = 1;
    b = a;
    b.second = 2;
    return b.first + b.second != 3;
}
