/* Attributes and asm labels in all places. */
struct packed_record { char tag; int value __attribute__((aligned(2))); } __attribute__((packed));
struct tail { int a; } __attribute__((aligned(16)));
extern int renamed(int) __asm__("real_name") __attribute__((nothrow));
static int __attribute__((unused)) unused_variable = 3;
__attribute__((noreturn)) extern void stop(void);
typedef unsigned quarter __attribute__((mode(QI)));
int (__attribute__((noinline)) *function_pointer)(int);
int with_body(int x __attribute__((unused))) __attribute__((noinline));
int with_body(int x) {
  switch (x) {
    case 1:
      x = 2;
      __attribute__((fallthrough));
    default:
      break;
  }
  return x;
}
