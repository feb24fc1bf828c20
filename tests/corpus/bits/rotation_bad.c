// The second rotation is one too far.
// expect: unsafe
// engines: gps gps-lite impact cra recmc path-invariants bself bse kind bmc tracer tracer-sp
extern unsigned __VERIFIER_nondet_uint(void);
extern void abort(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), k = __VERIFIER_nondet_uint();
    if (k < 1 || k > 7) abort();
    unsigned left = (x << k) | (x >> (32 - k));
    unsigned back = (left >> (k + 1)) | (left << (31 - k));
    if (back != x) reach_error();
    return 0;
}
