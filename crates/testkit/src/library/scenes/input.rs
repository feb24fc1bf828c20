//! Reading stdin. What stands there is the world's.

use super::super::builder::Builder;
use super::Entry;

pub(super) const SCENES: &[Entry] = &[
    (4, character),
    (3, counted),
    (3, line),
    (2, pushed_back),
    (3, number),
    (1, word),
    (1, lines),
    (1, fresh),
];

fn reads(b: &mut Builder<'_>) {
    b.include(&["stdio.h"]);
    b.world.reads_stdin = true;
}

fn character(b: &mut Builder<'_>) {
    reads(b);
    b.choose("read", &["getchar()", "getchar()", "fgetc(stdin)", "getc(stdin)"]);
    b.code("int $c = @read;");
    b.always("$c <= 255");
    b.always("$c >= -1");
    b.always("$c == EOF || ($c >= 0 && $c <= 255)");
    b.may_fail("$c != 'x'");
    b.may_fail("$c >= 0");
    b.may_fail("$c == EOF");
    b.may_fail("$c < 128");
    b.may_fail("$c <= 254");
}

fn counted(b: &mut Builder<'_>) {
    reads(b);
    b.constant("most", 2, 5);
    b.code(
        "int $count = 0, $c;
         while ($count < @most && ($c = getchar()) != EOF) {
         $count++;
         }",
    );
    b.always("$count <= @most");
    b.always("$count >= 0");
    b.may_fail("$count < @most");
    b.may_fail("$count > 0");
    b.may_fail("$count != 1");
}

fn line(b: &mut Builder<'_>) {
    reads(b);
    b.include(&["string.h"]);
    b.constant("size", 4, 12);
    b.code(
        "char $line[12] = \"\";
         char *$result = fgets($line, @size, stdin);
         if (!$result) strcpy($line, \"-\");",
    );
    b.always("strlen($line) < @size");
    b.always("$result == NULL || $result == $line");
    b.always("$result != NULL || $line[0] == '-'");
    b.may_fail("$result != NULL");
    b.may_fail("$result == NULL");
    b.may_fail("$line[0] != 'x'");
    b.may_fail("strlen($line) > 1");
    b.may_fail("strchr($line, '\\n') == NULL");
}

fn pushed_back(b: &mut Builder<'_>) {
    reads(b);
    b.code(
        "int $first = getc(stdin);
         int $second = $first;
         if ($first != EOF) {
         ungetc($first, stdin);
         $second = getc(stdin);
         }",
    );
    b.always("$first == $second");
    b.may_fail("$second != 'h'");
    b.may_fail("$first != EOF");
}

fn number(b: &mut Builder<'_>) {
    reads(b);
    b.code("int $n = 5;\nint $count = scanf(\"%d\", &$n);");
    b.always("$count == 1 || $n == 5");
    b.always("$count >= -1 && $count <= 1");
    b.may_fail("$count == 1");
    b.may_fail("$count == EOF");
    b.may_fail("$n == 5");
    b.may_fail("$n != 12");
    b.may_fail("$n >= 0");
}

fn word(b: &mut Builder<'_>) {
    reads(b);
    b.include(&["string.h"]);
    b.code("char $word[8] = \"?\";\nint $count = scanf(\"%4s\", $word);");
    b.always("strlen($word) <= 4");
    b.always("$count == 1 || strcmp($word, \"?\") == 0");
    b.may_fail("strcmp($word, \"?\") == 0");
    b.may_fail("$count > 0");
}

fn lines(b: &mut Builder<'_>) {
    reads(b);
    b.include(&["string.h"]);
    b.code(
        "char $line[16];
         int $lines = 0, $blank = 0;
         while ($lines < 3 && fgets($line, sizeof $line, stdin) != NULL) {
         $lines++;
         if ($line[0] == '\\n') $blank++;
         }",
    );
    b.always("$blank <= $lines");
    b.always("$lines <= 3");
    b.may_fail("$lines != 2");
    b.may_fail("$lines == 0");
}

fn fresh(b: &mut Builder<'_>) {
    reads(b);
    b.code(
        "int $c = getchar();
         int $ended = feof(stdin) != 0;
         int $failed = ferror(stdin) != 0;",
    );
    b.always("$c != EOF || $ended || $failed");
    b.may_fail("!$ended");
    b.always("stdin != NULL");
}
