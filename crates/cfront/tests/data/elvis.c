int choose(int a, int b) { return a ?: b ?: 3; }
