//! `malloc` and relatives.

use super::super::builder::Builder;
use super::Entry;

pub(super) const SCENES: &[Entry] =
    &[(3, filled), (2, zeroed), (3, grown), (2, list), (1, resized), (1, text)];

fn filled(b: &mut Builder<'_>) {
    b.include(&["stdlib.h"]);
    b.value("count", 1, 6);
    b.code(
        "int $count = @count;
         int *$a = malloc($count * sizeof *$a);
         if ($a == NULL) return 0;
         int $sum = 0;
         for (int i = 0; i < $count; i++) {
         $a[i] = i * i;
         $sum += $a[i];
         }",
    );
    b.number("$sum");
    b.number("$a[$count - 1]");
    b.last("free($a);");
}

fn zeroed(b: &mut Builder<'_>) {
    b.include(&["stdlib.h"]);
    b.value("at", 0, 4);
    b.code(
        "long *$a = calloc(5, sizeof(long));
         if (!$a) return 0;
         $a[@at] = 9;
         long $sum = $a[0] + 2 * $a[2] + 3 * $a[4];",
    );
    b.number("$sum");
    b.number("$a[3]");
    b.last("free($a);");
}

fn grown(b: &mut Builder<'_>) {
    b.include(&["stdlib.h"]);
    b.value("count", 1, 5);
    b.code(
        "int *$a = NULL;
         int $used = 0, $space = 0;
         for (int i = 0; i < @count; i++) {
         if ($used == $space) {
         $space = $space ? $space * 2 : 2;
         int *more = realloc($a, $space * sizeof *$a);
         if (!more) return 0;
         $a = more;
         }
         $a[$used++] = 10 + i;
         }",
    );
    b.number("$used");
    b.number("$space");
    b.number("$a[$used - 1]");
    b.number("$a[0]");
    b.last("free($a);");
}

fn list(b: &mut Builder<'_>) {
    b.include(&["stdlib.h"]);
    b.helper("struct $node { int value; struct $node *next; };");
    b.value("count", 0, 4);
    b.code(
        "struct $node *$head = NULL;
         for (int i = 0; i < @count; i++) {
         struct $node *n = malloc(sizeof *n);
         if (!n) abort();
         n->value = i;
         n->next = $head;
         $head = n;
         }
         int $length = 0, $sum = 0;
         while ($head) {
         struct $node *next = $head->next;
         $sum += $head->value;
         $length++;
         free($head);
         $head = next;
         }",
    );
    b.number("$length");
    b.number("$sum");
}

fn resized(b: &mut Builder<'_>) {
    b.include(&["stdlib.h", "string.h"]);
    b.choose("size", &["4", "8", "16"]);
    b.code(
        "char *$p = malloc(8);
         if (!$p) return 0;
         strcpy($p, \"abc\");
         char *$q = realloc($p, @size);
         if (!$q) return 0;",
    );
    b.text("$q");
    b.number("$q[2]");
    b.last("free($q);");
}

fn text(b: &mut Builder<'_>) {
    b.include(&["stdlib.h", "string.h"]);
    b.choose("first", &["\"left\"", "\"a\"", "\"\""]);
    b.choose("second", &["\"right\"", "\"b\"", "\"\""]);
    b.code(
        "char *$both = malloc(strlen(@first) + strlen(@second) + 1);
         if ($both == NULL) exit(1 - 1);
         strcpy($both, @first);
         strcat($both, @second);",
    );
    b.text("$both");
    b.number("strlen($both)");
    b.last("free($both);");
}
