void late(void) __attribute__((cold)) { __attribute__((unused)) int x = 1; }
struct __attribute__((packed)) packed_record { char tag; int value __attribute__((aligned(2))); };
enum shape { ROUND __attribute__((deprecated)), SQUARE } __attribute__((packed));
