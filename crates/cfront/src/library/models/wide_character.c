/* Classes of wide characters in the "C" locale: those of ASCII. */

int __wayproof_iswupper(unsigned int c) { return c >= 'A' && c <= 'Z'; }
int __wayproof_iswlower(unsigned int c) { return c >= 'a' && c <= 'z'; }
int __wayproof_iswdigit(unsigned int c) { return c >= '0' && c <= '9'; }
int __wayproof_iswalpha(unsigned int c) { return __wayproof_iswupper(c) || __wayproof_iswlower(c); }
int __wayproof_iswalnum(unsigned int c) { return __wayproof_iswalpha(c) || __wayproof_iswdigit(c); }
int __wayproof_iswxdigit(unsigned int c)
{
    return __wayproof_iswdigit(c) || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}
int __wayproof_iswspace(unsigned int c) { return c == ' ' || (c >= 9 && c <= 13); }
int __wayproof_iswblank(unsigned int c) { return c == ' ' || c == 9; }
int __wayproof_iswcntrl(unsigned int c) { return c < 32 || c == 127; }
int __wayproof_iswprint(unsigned int c) { return c >= 32 && c <= 126; }
int __wayproof_iswgraph(unsigned int c) { return c >= 33 && c <= 126; }
int __wayproof_iswpunct(unsigned int c) { return __wayproof_iswgraph(c) && !__wayproof_iswalnum(c); }
unsigned int __wayproof_towlower(unsigned int c) { return __wayproof_iswupper(c) ? c + 32 : c; }
unsigned int __wayproof_towupper(unsigned int c) { return __wayproof_iswlower(c) ? c - 32 : c; }
