// The pointer is overwritten before the memory is freed.
// expect: unsafe lost-memory 13
// decided: yes
extern void *malloc(unsigned long);
extern void free(void *);

int main(void)
{
    int *p = malloc(sizeof(int));
    p = malloc(sizeof(int));
    free(p);
    return 0;
}
