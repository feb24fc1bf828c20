typedef int wchar_t;
wchar_t a = L'x';
wchar_t *b = L"wide";
char *c = u8"utf";
