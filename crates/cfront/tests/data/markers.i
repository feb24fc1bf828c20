# 1 "original.c"
# 1 "<built-in>" 1
# 3 "header.h" 1 3 4
typedef int header_type;
# 7 "original.c" 2
header_type f(void) { return 1; }
#pragma pack(push, 1)
struct tight { char c; int i; };
#pragma pack(pop)
