int a = 0b1011;
__float128 b = 1.5q;
char c = '\e';
int $dollar$ = 1, normal$ = 2;
