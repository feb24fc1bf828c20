// Summaries: loops in sequence and in one another, proved without a search.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned rows = __VERIFIER_nondet_uint();
    unsigned columns = __VERIFIER_nondet_uint();
    if (rows > 1000 || columns > 1000) {
        return 0;
    }
    unsigned row = 0, border = 0, visits = 0;
    while (row < rows) {
        unsigned column = 0;
        while (column < columns) {
            if (column == 0) {
                border += 2;
            }
            column++;
        }
        row++;
    }
    while (row > 0) {
        row--;
        visits += 3;
    }
    if (visits != 3 * rows || border > 2 * rows) {
        reach_error();
    }
    return 0;
}
