//! `sscanf`.

use super::super::builder::Builder;
use super::Entry;

pub(super) const SCENES: &[Entry] = &[
    (4, two_numbers),
    (3, one_number),
    (2, hexadecimal),
    (3, words),
    (2, sets),
    (2, position),
    (2, skipped),
    (2, date),
    (2, made),
];

fn two_numbers(b: &mut Builder<'_>) {
    b.include(&["stdio.h"]);
    b.choose(
        "text",
        &["\"12 34\"", "\"-5 7 9\"", "\"8\"", "\"x 1\"", "\"\"", "\"3,4\"", "\"  6\\t7\"", "\"1 y\""],
    );
    b.choose("format", &["\"%d %d\"", "\"%d%d\"", "\"%d,%d\"", "\"%i %d\""]);
    b.code("int $a = -1, $b = -2;\nint $count = sscanf(@text, @format, &$a, &$b);");
    b.number("$count");
    b.number("$a");
    b.number("$b");
    b.truth("$a == -1 && $b == -2");
    b.truth("$count == 2 && $a < $b");
}

fn one_number(b: &mut Builder<'_>) {
    b.include(&["stdio.h"]);
    b.value("digit", 48, 57);
    b.choose("format", &["\"%d\"", "\"%2d\"", "\"%u\""]);
    b.code("char $text[8] = \"471\";");
    b.constant("place", 0, 2);
    b.code("$text[@place] = @digit;");
    if b.filled("@format").contains('u') {
        b.code("unsigned $number = 0;");
    } else {
        b.code("int $number = 0;");
    }
    b.code("int $count = sscanf($text, @format, &$number);");
    b.number("$count");
    b.number("$number");
}

fn hexadecimal(b: &mut Builder<'_>) {
    b.include(&["stdio.h"]);
    b.choose("text", &["\"ff\"", "\"0x1F\"", "\"10 20\"", "\"g\"", "\"dead\""]);
    b.code("unsigned $bits = 7;\nint $count = sscanf(@text, \"%x\", &$bits);");
    b.number("$count");
    b.number("$bits");
    b.truth("$bits == 7");
    b.truth("$bits & 1");
}

fn words(b: &mut Builder<'_>) {
    b.include(&["stdio.h", "string.h"]);
    b.choose("text", &["\"set level 3\"", "\"  quit\"", "\"move 7 8\"", "\"\"", "\"a b c\""]);
    b.choose("format", &["\"%15s %15s\"", "\"%3s%15s\"", "\"%15s  %5s\""]);
    b.code(
        "char $verb[16] = \"-\", $object[16] = \"-\";\nint $count = sscanf(@text, @format, $verb, $object);",
    );
    b.number("$count");
    b.text("$verb");
    b.truth("$verb[0] == '-'");
    b.text("$object");
}

fn sets(b: &mut Builder<'_>) {
    b.include(&["stdio.h", "string.h"]);
    b.choose("text", &["\"key=value\"", "\"abc123\"", "\"=x\"", "\"name = v\"", "\"\""]);
    b.choose("format", &["\"%15[^=]=%15s\"", "\"%15[a-z]%15[0-9]\"", "\"%15[^0-9=]%15s\""]);
    b.code("char $key[16] = \"?\", $value[16] = \"?\";\nint $count = sscanf(@text, @format, $key, $value);");
    b.number("$count");
    b.text("$key");
    b.text("$value");
}

fn position(b: &mut Builder<'_>) {
    b.include(&["stdio.h"]);
    b.choose("text", &["\"42abc\"", "\"7\"", "\" 19 x\"", "\"none\""]);
    b.choose("format", &["\"%d%n\"", "\"%d %n\""]);
    b.code("int $number = 0, $end = -1;\nint $count = sscanf(@text, @format, &$number, &$end);");
    b.number("$count");
    b.number("$end");
    b.number("$number");
}

fn skipped(b: &mut Builder<'_>) {
    b.include(&["stdio.h"]);
    b.choose("text", &["\"1 2 z\"", "\"10 20\"", "\"5 q r\"", "\"4%c\""]);
    b.choose("format", &["\"%*d %d %c\"", "\"%*d%d%c\"", "\"%*s %d %c\""]);
    b.code("int $number = 0;\nchar $letter = '-';\nint $count = sscanf(@text, @format, &$number, &$letter);");
    b.number("$count");
    b.number("$number");
    b.number("$letter");
}

fn date(b: &mut Builder<'_>) {
    b.include(&["stdio.h"]);
    b.choose("text", &["\"2024-02-29\"", "\"1999-1-1\"", "\"2024/05/06\"", "\"12:30:59\"", "\"2000-12\""]);
    b.code("int $y = 0, $m = 0, $d = 0;\nint $count = sscanf(@text, \"%4d-%2d-%2d\", &$y, &$m, &$d);");
    b.number("$count");
    b.number("$y");
    b.number("$m + $d");
    b.truth("$m >= 1 && $m <= 12");
}

/// What `sprintf` writes, `sscanf` reads.
fn made(b: &mut Builder<'_>) {
    b.include(&["stdio.h"]);
    b.value("number", -40, 400);
    b.choose("pair", &["\"%d\"", "\"<%d>\"", "\"v%d\"", "\"%5d\""]);
    b.choose("read", &["\"%d\"", "\"<%d>\"", "\"v%d\""]);
    b.code(
        "char $text[24];
         sprintf($text, @pair, @number);
         int $back = -1000;
         int $count = sscanf($text, @read, &$back);",
    );
    b.number("$count");
    b.number("$back");
    b.truth("$back == -1000");
}
