// The field of an allocated record is read before it is written.
// expect: unsafe uninitialised 12
// decided: yes
extern void *malloc(unsigned long);
extern void free(void *);

struct record { int key, value; };
int main(void)
{
    struct record *r = malloc(sizeof *r);
    r->key = 1;
    int sum = r->key + r->value;
    free(r);
    return sum == 3;
}
