// A switch whose cases make no difference uses its value all the same.
// expect: unsafe uninitialised 8
// decided: yes

int main(void)
{
    int x;
    switch (x) {
    default:;
    }
    return 0;
}
