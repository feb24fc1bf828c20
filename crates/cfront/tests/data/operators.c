int f(int a, int b, int c) {
  int r = a + b * c - a / b % c << 1 >> 2;
  r = a < b == c > a != b <= c >= a & b ^ c | a && b || c;
  r = a ? b : c ? a : b;
  r += a, r -= b; r *= c; r /= a; r %= b; r <<= 1; r >>= 1; r &= a; r ^= b; r |= c;
  r = -a + +b - ~c * !a;
  ++r; --r; r++; r--;
  r = *&r + sizeof r + sizeof(int) + (int)(char)a;
  return (r, a), b;
}
