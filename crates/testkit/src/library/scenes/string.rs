//! `<string.h>`: copying, joining, comparing, searching.

use super::super::builder::Builder;
use super::{Entry, letter_of, some_word, word};

pub(super) const SCENES: &[Entry] = &[
    (3, copy),
    (3, join),
    (3, compare),
    (3, compare_input),
    (3, find_letter),
    (2, find_text),
    (2, spans),
    (3, bounded_copy),
    (2, bounded_join),
    (2, duplicate),
    (2, length),
    (2, reverse),
    (2, count_letters),
    (1, cut_at_newline),
    (1, extension),
    (1, compare_cases),
];

fn copy(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    word(b, "word");
    b.code("char $to[20] = \"\";");
    match b.random.below(3) {
        0 => b.code("strcpy($to, @word);"),
        1 => b.code("char *$r = strcpy($to, @word);\nif ($r != $to) return 0;"),
        _ => b.code("const char *$from = @word;\nstrcpy($to, $from);"),
    }
    b.text("$to");
    b.number("strlen($to)");
    b.number("$to[0]");
}

fn join(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    word(b, "first");
    word(b, "second");
    b.code("char $both[40] = @first;");
    if b.random.chance(40) {
        b.code("strcat($both, \"/\");");
    }
    b.code("strcat($both, @second);\nsize_t $length = strlen($both);");
    b.text("$both");
    b.number("$length");
    b.truth("strstr($both, @second) != NULL");
}

fn compare(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    word(b, "first");
    word(b, "second");
    if b.random.chance(40) {
        b.value("count", 0, 4);
        b.code("int $order = strncmp(@first, @second, @count);");
    } else {
        b.code("int $order = strcmp(@first, @second);");
    }
    b.truth("$order == 0");
    b.truth("$order < 0");
    b.truth("$order > 0");
}

fn compare_input(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    b.value("letter", 97, 102);
    b.constant("place", 0, 2);
    b.choose("other", &["\"abc\"", "\"bbc\"", "\"aac\"", "\"abca\"", "\"ab\""]);
    b.code(
        "char $text[8] = \"abc\";
         $text[@place] = @letter;
         int $less = strcmp($text, @other) < 0;
         int $same = !strcmp($text, @other);",
    );
    b.number("$less");
    b.number("$same");
    b.number("$less + $same");
}

fn find_letter(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    let word = some_word(b, "word");
    letter_of(b, "letter", word);
    b.choose("find", &["strchr", "strrchr"]);
    b.code(
        "const char *$text = @word;
         const char *$at = @find($text, @letter);
         int $index = $at ? (int)($at - $text) : -1;",
    );
    b.number("$index");
    b.truth("$at == NULL");
    b.truth("$at && *$at == @letter");
}

fn find_text(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    let word = some_word(b, "word");
    let start = b.random.below(word.len());
    let part = &word[start..(start + 2).min(word.len())];
    let part = if b.random.chance(30) { "qq" } else { part };
    b.set("part", format!("\"{part}\""));
    b.code("const char *$text = @word;\nconst char *$at = strstr($text, @part);");
    b.truth("$at != NULL");
    b.number("$at ? (int)($at - $text) : -1");
}

fn spans(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    b.choose("text", &["\"123abc\"", "\"  x=1\"", "\"abcabc;\"", "\"\"", "\"key=value\""]);
    b.choose("set", &["\"0123456789\"", "\" \\t\"", "\"abc\"", "\"=;\"", "\"\""]);
    b.code(
        "const char *$text = @text;
         size_t $in = strspn($text, @set);
         size_t $out = strcspn($text, @set);
         const char *$first = strpbrk($text, @set);",
    );
    b.number("$in");
    b.number("$out");
    b.truth("$first == NULL");
    b.number("$first ? (int)($first - $text) : -1");
}

fn bounded_copy(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    word(b, "word");
    b.value("count", 0, 7);
    b.code(
        "char $to[9];
         memset($to, '#', sizeof $to);
         strncpy($to, @word, @count);
         $to[8] = '\\0';",
    );
    b.text("$to");
    b.number("$to[7]");
    b.number("strlen($to)");
}

fn bounded_join(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    some_word(b, "second");
    b.value("count", 0, 5);
    b.code("char $both[24] = \"pre\";\nstrncat($both, @second, @count);");
    b.text("$both");
    b.number("strlen($both)");
}

fn duplicate(b: &mut Builder<'_>) {
    b.include(&["string.h", "stdlib.h"]);
    some_word(b, "word");
    b.code("char *$copy = strdup(@word);\nif ($copy == NULL) return 0;");
    if b.random.chance(50) {
        b.code("$copy[0] = 'Q';");
    }
    b.text("$copy");
    b.number("strlen($copy)");
    b.last("free($copy);");
}

fn length(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    b.value("cut", 0, 5);
    b.code("char $text[] = \"abcdef\";\n$text[@cut] = '\\0';");
    b.choose("most", &["3", "10", "0"]);
    b.code("size_t $length = strlen($text);\nsize_t $bounded = strnlen($text, @most);");
    b.number("$length");
    b.number("$bounded");
    b.truth("$length < sizeof $text");
}

fn reverse(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    some_word(b, "word");
    b.code(
        "char $text[] = @word;
         for (size_t i = 0, j = strlen($text) - 1; i < j; i++, j--) {
         char c = $text[i];
         $text[i] = $text[j];
         $text[j] = c;
         }",
    );
    b.text("$text");
    b.number("$text[0]");
}

fn count_letters(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    let word = some_word(b, "word");
    letter_of(b, "letter", word);
    b.code(
        "int $count = 0;
         for (const char *p = @word; (p = strchr(p, @letter)) != NULL; p++) {
         $count++;
         }",
    );
    b.number("$count");
}

fn cut_at_newline(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    b.choose("line", &["\"name\\n\"", "\"name\"", "\"\\n\"", "\"a\\nb\\n\"", "\"a\\r\\n\""]);
    b.code("char $line[16] = @line;\n$line[strcspn($line, \"\\r\\n\")] = '\\0';");
    b.text("$line");
    b.number("strlen($line)");
}

fn extension(b: &mut Builder<'_>) {
    b.include(&["string.h"]);
    b.choose("path", &["\"dir/file.c\"", "\"file\"", "\"a.b/c\"", "\".profile\"", "\"x.tar.gz\""]);
    b.code(
        "const char *$path = @path;
         const char *$dot = strrchr($path, '.');
         const char *$slash = strrchr($path, '/');
         const char *$name = $slash ? $slash + 1 : $path;
         int $has = $dot != NULL && $dot > $name;",
    );
    b.text("$name");
    b.number("$has");
    b.truth("$has && strcmp($dot, \".c\") == 0");
}

fn compare_cases(b: &mut Builder<'_>) {
    b.include(&["strings.h"]);
    b.choose("first", &["\"Hello\"", "\"hello\"", "\"HELP\"", "\"abc\""]);
    b.choose("second", &["\"hELLO\"", "\"help\"", "\"ABCD\""]);
    if b.random.chance(50) {
        b.code("int $order = strcasecmp(@first, @second);");
    } else {
        b.code("int $order = strncasecmp(@first, @second, 3);");
    }
    b.truth("$order == 0");
    b.truth("$order < 0");
}
