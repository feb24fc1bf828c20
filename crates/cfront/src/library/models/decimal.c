/* Exact decimal numbers. `words` holds digits to the base 10^9, the highest first; the word `point` has the weight 1. The words
   `range[0]` to `range[1]` are in use, all others count as 0. Names that start with `__wp_` are no library functions. */

/* Times 2^bits, at most 2^29. */
void __wayproof___wp_decimal_multiply(unsigned int *words, int *range, int bits)
{
    unsigned int carry = 0;
    for (int i = range[1]; i >= range[0]; i--) {
        unsigned long long sum = ((unsigned long long)words[i] << bits) + carry;
        words[i] = (unsigned int)(sum % 1000000000);
        carry = (unsigned int)(sum / 1000000000);
    }
    if (carry != 0) {
        range[0] = range[0] - 1;
        words[range[0]] = carry;
    }
    while (range[1] > range[0] && words[range[1]] == 0)
        range[1] = range[1] - 1;
}

/* Divided by 2^bits, at most 2^9: 10^9 is a multiple, so one more word is enough. */
void __wayproof___wp_decimal_divide(unsigned int *words, int *range, int bits)
{
    unsigned long long rest = 0;
    for (int i = range[0]; i <= range[1]; i++) {
        unsigned long long sum = rest * 1000000000 + words[i];
        words[i] = (unsigned int)(sum >> bits);
        rest = sum & ((1ULL << bits) - 1);
    }
    if (rest != 0) {
        range[1] = range[1] + 1;
        words[range[1]] = (unsigned int)((rest * 1000000000) >> bits);
    }
    if (words[range[0]] == 0 && range[0] < range[1])
        range[0] = range[0] + 1;
}
