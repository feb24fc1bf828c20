_Static_assert(sizeof(int) == 4, "int has four bytes");
_Alignas(16) char buffer[16];
_Noreturn void stop(void);
_Thread_local int counter;
_Atomic int shared;
int kind(int x) { return _Generic(x, int: 1, default: 2) + _Alignof(long); }
inline static int one(void) { return 1; }
int restricted(int *restrict p, const volatile int *q) { return *p + *q; }
