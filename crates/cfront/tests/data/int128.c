__int128 big = 1;
unsigned __int128 product(unsigned long a, unsigned long b) { return (unsigned __int128)a * b; }
__uint128_t high(__int128_t x) { return x >> 64; }
