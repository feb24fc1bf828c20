// The bits of a number are read by a union, and its halves by a pointer to another type.
// expect: safe
// decided: yes
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
union bits { unsigned number; unsigned char bytes[4]; };
int main(void)
{
    union bits one;
    one.number = __VERIFIER_nondet_uint();
    unsigned sum = one.bytes[0] + 256u * one.bytes[1] + 65536u * one.bytes[2] + 16777216u * one.bytes[3];
    if (sum != one.number)
        reach_error();
    unsigned short *halves = (unsigned short *)&one;
    if (halves[1] != one.number >> 16)
        reach_error();
    return 0;
}
