counter;
static limit = 10;
main(argc, argv) char **argv; { register i; const k = 1; return argc + i + k; }
*address() { return 0; }
