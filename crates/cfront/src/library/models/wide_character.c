/* Classes of wide characters in the "C" locale: those of ASCII. As in character.c, the values are glibc's. */

int __wayproof_iswupper(unsigned int c) { return c >= 'A' && c <= 'Z' ? 256 : 0; }
int __wayproof_iswlower(unsigned int c) { return c >= 'a' && c <= 'z' ? 512 : 0; }
int __wayproof_iswdigit(unsigned int c) { return c >= '0' && c <= '9'; }
int __wayproof_iswalpha(unsigned int c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ? 1024 : 0; }
int __wayproof_iswalnum(unsigned int c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ? 8 : 0;
}
int __wayproof_iswxdigit(unsigned int c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f') ? 4096 : 0;
}
int __wayproof_iswspace(unsigned int c) { return c == ' ' || (c >= 9 && c <= 13) ? 8192 : 0; }
int __wayproof_iswblank(unsigned int c) { return c == ' ' || c == 9; }
int __wayproof_iswcntrl(unsigned int c) { return c < 32 || c == 127 ? 2 : 0; }
int __wayproof_iswprint(unsigned int c) { return c >= 32 && c <= 126 ? 16384 : 0; }
int __wayproof_iswgraph(unsigned int c) { return c >= 33 && c <= 126 ? 32768 : 0; }
int __wayproof_iswpunct(unsigned int c) { return c >= 33 && c <= 126 && __wayproof_iswalnum(c) == 0 ? 4 : 0; }
unsigned int __wayproof_towlower(unsigned int c) { return __wayproof_iswupper(c) ? c + 32 : c; }
unsigned int __wayproof_towupper(unsigned int c) { return __wayproof_iswlower(c) ? c - 32 : c; }
