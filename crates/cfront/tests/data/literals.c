unsigned long long a = 18446744073709551615ULL;
int b = 0x7fFF + 0777 + 'a' + '\n' + '\x41' + '\'' + '\\';
double c = 1.5e10 + .5 + 5. + 0x1.8p3 + 1e-3;
float d = 1.5f + 2.F;
long double e = 1.0L;
char *f = "tab\tquote\"hex\x41" "octal\101";
long g = 1l + 2L + 3ul + 4lu + 5LL + 6llu;
