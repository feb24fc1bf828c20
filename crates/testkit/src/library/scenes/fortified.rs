//! The checked versions of library functions, as an optimised build calls them.

use super::super::builder::Builder;
use super::{Entry, some_word};

pub(super) const SCENES: &[Entry] = &[(3, copied), (2, filled), (3, formatted), (2, joined), (1, printed)];

fn copied(b: &mut Builder<'_>) {
    b.include(&["stddef.h"]);
    b.value("count", 0, 5);
    b.choose("f", &["__memcpy_chk", "__memmove_chk", "__mempcpy_chk"]);
    b.helper("extern void *@f(void *, const void *, size_t, size_t);");
    b.code("char $to[8] = \"-------\";\n@f($to, \"hello\", @count, sizeof $to);");
    b.text("$to");
    b.number("$to[0]");
    b.truth("$to[0] == '-'");
    b.number("$to[4]");
}

fn filled(b: &mut Builder<'_>) {
    b.include(&["stddef.h"]);
    b.helper("extern void *__memset_chk(void *, int, size_t, size_t);");
    b.value("count", 0, 4);
    b.code("char $to[8] = \"abcdef\";\n__memset_chk($to, 'z', @count, sizeof $to);");
    b.text("$to");
    b.number("$to[2]");
}

fn formatted(b: &mut Builder<'_>) {
    b.include(&["stddef.h"]);
    b.value("number", -3, 30);
    b.code("char $text[16] = \"#\";");
    if b.random.chance(60) {
        b.helper("extern int __snprintf_chk(char *, size_t, int, size_t, const char *, ...);");
        b.code("int $length = __snprintf_chk($text, sizeof $text, 1, sizeof $text, \"%d!\", @number);");
    } else {
        b.helper("extern int __sprintf_chk(char *, int, size_t, const char *, ...);");
        b.code("int $length = __sprintf_chk($text, 1, sizeof $text, \"<%d>\", @number);");
    }
    b.text("$text");
    b.number("$length");
    b.truth("$text[0] == '#'");
}

fn joined(b: &mut Builder<'_>) {
    b.include(&["stddef.h"]);
    some_word(b, "word");
    b.code("char $text[24] = \"a-\";");
    match b.random.below(3) {
        0 => {
            b.helper("extern char *__strcat_chk(char *, const char *, size_t);");
            b.code("__strcat_chk($text, @word, sizeof $text);");
        }
        1 => {
            b.helper("extern char *__strcpy_chk(char *, const char *, size_t);");
            b.code("__strcpy_chk($text, @word, sizeof $text);");
        }
        _ => {
            b.helper("extern char *__strncpy_chk(char *, const char *, size_t, size_t);");
            b.code("__strncpy_chk($text, @word, 4, sizeof $text);");
        }
    }
    b.text("$text");
    b.number("$text[1]");
}

fn printed(b: &mut Builder<'_>) {
    b.world.writes_stdout = true;
    b.helper("extern int __printf_chk(int, const char *, ...);");
    b.code("int $at = -1;\nint $length = __printf_chk(1, \"abc%n\\n\", &$at);");
    b.always("$length == 4 || $length < 0");
    b.always("$at == 3 || $at == -1");
    b.may_fail("$at == -1");
}
