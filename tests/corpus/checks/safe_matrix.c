// Two dimensions, both within bounds.
// expect: safe
// decided: yes
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int matrix[3][4] = { { 0 } };
    int row = __VERIFIER_nondet_int(), column = __VERIFIER_nondet_int();
    if (row < 0 || row >= 3 || column < 0 || column >= 4) return 0;
    matrix[row][column] = 1;
    return matrix[row][column];
}
