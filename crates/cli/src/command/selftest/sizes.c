/* What a data model says, as far as programs can ask. WORD is the size of a pointer. */
#define SAYS(what) _Static_assert(what, #what)

SAYS(sizeof(char) == 1 && sizeof(short) == 2 && sizeof(int) == 4);
SAYS(sizeof(long) == WORD && sizeof(void *) == WORD && sizeof(sizeof 1) == WORD);
SAYS(sizeof(long long) == 8 && sizeof(float) == 4 && sizeof(double) == 8);
SAYS(sizeof(long double) == (WORD == 8 ? 16 : 12));
SAYS(sizeof(struct { char c; double d; }) == 8 + WORD);
SAYS(sizeof(struct { char c; long long l; }) == 8 + WORD);
SAYS(sizeof(struct { int a : 3; int b : 30; }) == 8);
SAYS((char)-1 < 0 && -1 >> 1 == -1 && -7 / 2 == -3 && -7 % 2 == -1);
SAYS(sizeof(L'x') == 4 && (unsigned char)300 == 44 && 1u - 2u == 4294967295u);

int main(void) {
    return 0;
}
