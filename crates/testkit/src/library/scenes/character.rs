//! `<ctype.h>`.

use super::super::builder::Builder;
use super::{Entry, some_word};

pub(super) const SCENES: &[Entry] =
    &[(4, classes), (3, cases), (3, counted), (2, trimmed), (2, number), (1, caesar)];

const CLASSES: [&str; 11] = [
    "isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower", "isxdigit", "ispunct", "isprint",
    "iscntrl", "isgraph",
];

fn classes(b: &mut Builder<'_>) {
    b.include(&["ctype.h"]);
    b.choose("class", &CLASSES);
    b.choose("other", &CLASSES);
    let start = *b.random.pick(&[0, 30, 45, 60, 88, 95, 120, 123]);
    b.value("letter", start, start + 4);
    b.code("int $c = @letter;\nint $is = @class($c) != 0;\nint $both = @class($c) && @other($c);");
    b.number("$is");
    b.number("$both");
    b.truth("@other($c)");
}

fn cases(b: &mut Builder<'_>) {
    b.include(&["ctype.h"]);
    let start = *b.random.pick(&[60, 88, 95, 119]);
    b.value("letter", start, start + 5);
    b.choose("change", &["toupper", "tolower"]);
    b.code("int $c = @letter;\nint $changed = @change($c);");
    b.number("$changed");
    b.truth("$changed == $c");
    b.number("$changed - $c");
}

fn counted(b: &mut Builder<'_>) {
    b.include(&["ctype.h"]);
    b.choose("text", &["\"a1b2c3\"", "\"Hello, World\"", "\"  42  \"", "\"\"", "\"x-y_z.9\""]);
    b.choose("class", &CLASSES);
    b.code(
        "int $count = 0;
         for (const char *p = @text; *p; p++) {
         if (@class((unsigned char)*p)) $count++;
         }",
    );
    b.number("$count");
    b.truth("$count > 2");
}

fn trimmed(b: &mut Builder<'_>) {
    b.include(&["ctype.h", "string.h"]);
    b.choose("text", &["\"  two words \"", "\"x\"", "\"   \"", "\"\\tend\\n\""]);
    b.code(
        "char $text[] = @text;
         char *$start = $text;
         while (isspace((unsigned char)*$start)) $start++;
         char *$end = $start + strlen($start);
         while ($end > $start && isspace((unsigned char)$end[-1])) $end--;
         *$end = '\\0';",
    );
    b.text("$start");
    b.number("$end - $start");
}

fn number(b: &mut Builder<'_>) {
    b.include(&["ctype.h"]);
    b.value("letter", 46, 59);
    b.code(
        "char $text[] = \"12345\";
         $text[2] = @letter;
         int $number = 0;
         for (int i = 0; isdigit((unsigned char)$text[i]); i++) {
         $number = $number * 10 + ($text[i] - '0');
         }",
    );
    b.number("$number");
    b.truth("$number >= 12");
}

fn caesar(b: &mut Builder<'_>) {
    b.include(&["ctype.h", "string.h"]);
    some_word(b, "word");
    b.constant("by", 1, 25);
    b.code(
        "char $text[] = @word;
         for (size_t i = 0; i < strlen($text); i++) {
         if (islower((unsigned char)$text[i])) $text[i] = 'a' + ($text[i] - 'a' + @by) % 26;
         else $text[i] = toupper((unsigned char)$text[i]);
         }",
    );
    b.text("$text");
    b.number("$text[0]");
}
