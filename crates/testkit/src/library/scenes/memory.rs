//! Blocks of memory.

use super::super::builder::Builder;
use super::Entry;

pub(super) const SCENES: &[Entry] = &[
    (3, copy),
    (3, shift),
    (3, fill),
    (3, compare),
    (2, find),
    (2, structures),
    (1, end_of_copy),
    (1, swapped),
];

fn copy(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    b.value("number", -5, 50);
    b.constant("count", 1, 4);
    b.code(
        "int $from[4] = { 1, @number, 3, 4 };
         int $to[4] = { 0 };
         memcpy($to, $from, @count * sizeof(int));",
    );
    b.number("$to[1]");
    b.number("$to[3]");
    b.number("$to[0] + $to[2]");
}

fn shift(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    b.constant("to", 0, 3);
    b.constant("from", 0, 3);
    b.value("count", 0, 4);
    b.code("char $text[12] = \"abcdefgh\";\nmemmove($text + @to, $text + @from, @count);");
    b.text("$text");
    b.number("$text[@to]");
    b.number("$text[4]");
}

fn fill(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    match b.random.below(3) {
        0 => {
            b.value("count", 0, 7);
            b.code("char $text[8] = \"1234567\";\nmemset($text, '*', @count);\n$text[7] = '\\0';");
            b.text("$text");
            b.number("$text[0]");
        }
        1 => {
            b.choose("byte", &["0", "-1", "1", "0x7f"]);
            b.code("int $a[3];\nmemset($a, @byte, sizeof $a);");
            b.number("$a[0]");
            b.number("$a[2]");
        }
        _ => {
            b.include(&["strings.h"]);
            b.value("count", 0, 4);
            b.code("unsigned char $bytes[5] = { 9, 8, 7, 6, 5 };\nbzero($bytes, @count);");
            b.number("$bytes[0]");
            b.number("$bytes[3]");
            b.number("$bytes[4]");
        }
    }
}

fn compare(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    b.value("letter", 97, 101);
    b.constant("count", 0, 4);
    b.code(
        "char $a[5] = \"abcd\", $b[5] = \"abdc\";
         $a[1] = @letter;
         int $order = memcmp($a, $b, @count);",
    );
    b.truth("$order < 0");
    b.truth("$order == 0");
    b.truth("$order > 0");
}

fn find(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    b.value("byte", 0, 6);
    b.constant("count", 0, 5);
    b.code(
        "static const unsigned char $bytes[5] = { 3, 1, 4, 1, 5 };
         const unsigned char *$at = memchr($bytes, @byte, @count);
         long $index = $at ? $at - $bytes : -1;",
    );
    b.number("$index");
    b.truth("$at == NULL");
}

fn structures(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    b.helper("struct $point { int x, y; char tag[4]; };");
    b.value("x", -2, 6);
    b.code(
        "struct $point $p = { @x, 7, \"ab\" }, $q;
         memset(&$q, 0, sizeof $q);
         if ($p.x > 2) memcpy(&$q, &$p, sizeof $q);",
    );
    b.number("$q.x");
    b.number("$q.y");
    b.text("$q.tag");
}

fn end_of_copy(b: &mut Builder<'_>) {
    b.include(&["_GNU_SOURCE", "string.h"]);
    b.value("count", 0, 5);
    if b.random.chance(50) {
        b.code("char $to[8] = \"-------\";\nchar *$end = mempcpy($to, \"hello\", @count);\n*$end = '\\0';");
    } else {
        b.code("char $to[8] = \"-------\";\nchar *$end = stpncpy($to, \"hello\", @count);\n*$end = '\\0';");
    }
    b.number("$end - $to");
    b.text("$to");
}

fn swapped(b: &mut Builder<'_>) {
    match b.random.below(3) {
        0 => {
            b.include(&["strings.h"]);
            b.code("char $a[6] = \"abcde\";\nbcopy($a, $a + 1, 3);");
            b.text("$a");
        }
        1 => {
            b.include(&["_GNU_SOURCE", "unistd.h"]);
            b.code("char $from[5] = \"abcd\", $a[5] = \"----\";\nswab($from, $a, 4);");
            b.text("$a");
        }
        _ => {
            b.include(&["string.h"]);
            b.code("char $a[6] = \"abcde\";\nexplicit_bzero($a + 2, 3);");
            b.text("$a");
            b.number("$a[2]");
        }
    }
    b.number("$a[1]");
    b.truth("$a[2] == 'c' || $a[2] == '-'");
}
