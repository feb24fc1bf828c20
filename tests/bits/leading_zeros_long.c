// Leading zeros of 64 bits by binary search, and one after the other.
// expect: safe
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void reach_error(void);
typedef unsigned long T;
int main(void) {
  T x = __VERIFIER_nondet_ulong();
  T y = x, z = x;
  int n = 0, m = 0;
  if (x == 0) return 0;
  if (y <= ((T)~(T)0 >> 32)) { n += 32; y <<= 32; }
  if (y <= ((T)~(T)0 >> 16)) { n += 16; y <<= 16; }
  if (y <= ((T)~(T)0 >> 8)) { n += 8; y <<= 8; }
  if (y <= ((T)~(T)0 >> 4)) { n += 4; y <<= 4; }
  if (y <= ((T)~(T)0 >> 2)) { n += 2; y <<= 2; }
  if (y <= ((T)~(T)0 >> 1)) { n += 1; y <<= 1; }
  while (!(z >> 63 & 1)) { z <<= 1; m++; }
  if (n != m) reach_error();
  return 0;
}
