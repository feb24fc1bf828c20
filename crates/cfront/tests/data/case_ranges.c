int classify(int c) {
  switch (c) {
    case '0' ... '9': return 1;
    case 'a' ... 'f':
    case 'A' ... 'F': return 2;
    default: return 0;
  }
}
