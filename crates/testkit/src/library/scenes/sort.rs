//! `qsort` and `bsearch`.

use super::super::builder::Builder;
use super::Entry;

pub(super) const SCENES: &[Entry] =
    &[(4, numbers), (2, records), (2, texts), (3, search), (2, both), (1, linear)];

/// Sets `@array` to a list of numbers; one may be an input.
fn array(b: &mut Builder<'_>) {
    b.value("element", -3, 12);
    let mut items: Vec<String> = (0..b.random.between(1, 5)).map(|_| String::new()).collect();
    for item in &mut items {
        *item = b.random.between(-9, 20).to_string();
    }
    let at = b.random.below(items.len() + 1);
    items.insert(at, b.filled("@element"));
    b.set("size", items.len());
    b.set("array", items.join(", "));
}

/// A comparison function for ints, as `$compare`.
fn comparison(b: &mut Builder<'_>) {
    let body = *b.random.pick(&[
        "return (x > y) - (x < y);",
        "return (x > y) - (x < y);",
        "return x - y;",
        "return x < y ? -1 : x > y;",
        "return y - x;",
        "return (y > x) - (y < x);",
    ]);
    b.set("body", body);
    b.helper(
        "static int $compare(const void *a, const void *b)\n{\n    \
         int x = *(const int *)a, y = *(const int *)b;\n    @body\n}",
    );
}

fn numbers(b: &mut Builder<'_>) {
    b.include(&["stdlib.h"]);
    array(b);
    comparison(b);
    b.code("int $a[] = { @array };\nint $first = $a[0];\nqsort($a, @size, sizeof $a[0], $compare);");
    b.number("$a[0]");
    b.truth("$a[0] == $first");
    b.number("$a[@size - 1]");
    b.number("$a[@size / 2]");
    b.truth("$a[0] <= $a[1]");
}

fn records(b: &mut Builder<'_>) {
    b.include(&["stdlib.h"]);
    b.helper("struct $item { int key; char name; };");
    b.helper(
        "static int $compare(const void *a, const void *b)\n{\n    \
         const struct $item *x = a, *y = b;\n    return x->key < y->key ? -1 : x->key > y->key;\n}",
    );
    b.value("key", 0, 9);
    b.code(
        "struct $item $items[3] = { { 5, 'a' }, { @key * 2 + 10, 'b' }, { 15, 'c' } };
         qsort($items, 3, sizeof(struct $item), $compare);",
    );
    b.number("$items[0].name");
    b.truth("$items[1].name == 'b'");
    b.number("$items[2].name");
    b.number("$items[1].key");
}

fn texts(b: &mut Builder<'_>) {
    b.include(&["stdlib.h", "string.h"]);
    b.helper(
        "static int $compare(const void *a, const void *b)\n{\n    \
         return strcmp(*(const char *const *)a, *(const char *const *)b);\n}",
    );
    b.choose("list", &["\"pear\", \"apple\", \"fig\"", "\"b\", \"a\", \"ab\"", "\"x10\", \"x9\", \"x1\""]);
    b.code("const char *$names[3] = { @list };\nqsort($names, 3, sizeof *$names, $compare);");
    b.text("$names[0]");
    b.text("$names[2]");
}

fn search(b: &mut Builder<'_>) {
    b.include(&["stdlib.h"]);
    b.helper(
        "static int $compare(const void *a, const void *b)\n{\n    \
         return *(const int *)a - *(const int *)b;\n}",
    );
    b.choose("list", &["1, 3, 5, 7", "2, 4", "0, 1, 2, 3, 4, 5", "6", "-5, 0, 5, 10, 20"]);
    b.value("key", 0, 7);
    b.code(
        "static const int $a[] = { @list };
         int $key = @key;
         const int *$found = bsearch(&$key, $a, sizeof $a / sizeof *$a, sizeof *$a, $compare);",
    );
    b.truth("$found == NULL");
    b.number("$found ? (int)($found - $a) : -1");
    b.truth("!$found || *$found == $key");
}

fn both(b: &mut Builder<'_>) {
    b.include(&["stdlib.h"]);
    array(b);
    b.helper(
        "static int $compare(const void *a, const void *b)\n{\n    \
         int x = *(const int *)a, y = *(const int *)b;\n    return x < y ? -1 : x > y ? 1 : 0;\n}",
    );
    b.constant("key", -9, 20);
    b.code(
        "int $a[] = { @array };
         int $key = @key;
         qsort($a, @size, sizeof(int), $compare);
         int *$found = bsearch(&$key, $a, @size, sizeof(int), $compare);",
    );
    b.truth("$found != NULL");
    b.number("$a[0]");
    b.truth("!$found || *$found == @key");
}

fn linear(b: &mut Builder<'_>) {
    b.include(&["search.h", "stddef.h"]);
    b.helper(
        "static int $compare(const void *a, const void *b)\n{\n    \
         return *(const int *)a != *(const int *)b;\n}",
    );
    b.value("key", 1, 6);
    b.code(
        "int $a[6] = { 4, 2, 5 };
         size_t $count = 3;
         int $key = @key;
         int *$found = lsearch(&$key, $a, &$count, sizeof $a[0], $compare);",
    );
    b.number("$count");
    b.number("*$found");
    b.truth("lfind(&$key, $a, &$count, sizeof $a[0], $compare) == NULL");
}
