/* café */
char *s = "é"; // ÿ
