int x;
typeof(x) y;
__typeof__(int *) pointer = &x;
__typeof__(x + 1) function(__typeof__(x) parameter) { __typeof__(parameter) copy = parameter; return copy; }
