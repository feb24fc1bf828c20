//! `snprintf`, `sprintf` and relatives.

use std::fmt::Write as _;

use super::super::builder::Builder;
use super::{Entry, WORDS};

pub(super) const SCENES: &[Entry] = &[
    (6, bounded),
    (4, unbounded),
    (3, truncated),
    (2, measured),
    (3, appended),
    (2, floats),
    (2, stored_count),
    (2, path),
    (1, wrapped),
    (1, allocated),
];

/// Specifications with the casts that their arguments need, for integers from -120 to 99999.
const INTEGERS: [(&str, &str); 18] = [
    ("%d", ""),
    ("%d", ""),
    ("%d", ""),
    ("%u", "(unsigned)"),
    ("%x", "(unsigned)"),
    ("%X", "(unsigned)"),
    ("%o", "(unsigned)"),
    ("%#x", "(unsigned)"),
    ("%ld", "(long)"),
    ("%lu", "(unsigned long)"),
    ("%lld", "(long long)"),
    ("%zu", "(size_t)"),
    ("%5d", ""),
    ("%-5d", ""),
    ("%05d", ""),
    ("%+d", ""),
    ("% d", ""),
    ("%hhd", ""),
];
const STRINGS: [&str; 6] = ["%s", "%s", "%.3s", "%8s", "%-8s", "%10.2s"];
const SEPARATORS: [&str; 7] = ["", " ", ",", "=", ": ", "-", "%%"];

/// Sets `@format` and `@arguments` (which starts with a comma, or is empty).
fn conversions(b: &mut Builder<'_>) {
    let mut format = String::new();
    let mut arguments = String::new();
    let values = ["va", "vb", "vc"];
    let count = 1 + b.random.weighted(&[50, 35, 15]);
    for value in values.into_iter().take(count) {
        if !format.is_empty() || b.random.chance(30) {
            let separator = *b.random.pick(&SEPARATORS);
            format.push_str(separator);
        }
        match b.random.below(10) {
            0 => {
                format.push_str("%c");
                b.value(value, 65, 90);
                let _ = write!(arguments, ", @{value}");
            }
            1..=3 => {
                let specification = *b.random.pick(&STRINGS);
                format.push_str(specification);
                let word = *b.random.pick(&WORDS);
                let _ = write!(arguments, ", \"{word}\"");
            }
            4 => {
                format.push_str("%*d");
                b.constant("width", -6, 6);
                b.value(value, -20, 200);
                let _ = write!(arguments, ", @width, @{value}");
            }
            _ => {
                let (specification, cast) = *b.random.pick(&INTEGERS);
                format.push_str(specification);
                if b.random.chance(70) {
                    b.value(value, -12, 110);
                } else {
                    b.constant(value, -99999, 99999);
                }
                let _ = write!(arguments, ", {cast}@{value}");
            }
        }
    }
    b.set("format", format!("\"{format}\""));
    // The values are put into the arguments first: what is set is not filled again.
    let arguments = b.filled(&arguments);
    b.set("arguments", arguments);
}

fn bounded(b: &mut Builder<'_>) {
    b.include(&["stdio.h", "string.h"]);
    conversions(b);
    b.code(
        "char $text[64] = \"\";
         int $length = snprintf($text, sizeof $text, @format@arguments);",
    );
    b.text("$text");
    b.text("$text");
    b.number("$length");
    b.truth("$text[0] == '\\0'");
    b.truth("(size_t)$length == strlen($text)");
    b.number("$text[0]");
}

fn unbounded(b: &mut Builder<'_>) {
    b.include(&["stdio.h", "string.h"]);
    conversions(b);
    b.code("char $text[80];");
    if b.random.chance(50) {
        b.code("int $length = sprintf($text, @format@arguments);");
    } else {
        b.code("sprintf($text, @format@arguments);\nint $length = (int)strlen($text);");
    }
    b.text("$text");
    b.number("$length");
    b.number("$text[$length]");
    b.number("$text[0]");
}

fn truncated(b: &mut Builder<'_>) {
    b.include(&["stdio.h", "string.h"]);
    conversions(b);
    b.constant("size", 1, 6);
    b.code(
        "char $text[8] = \"#######\";
         int $length = snprintf($text, @size, @format@arguments);
         int $cut = $length >= @size;",
    );
    b.text("$text");
    b.number("$length");
    b.number("$cut");
    b.truth("$text[0] == '#'");
    b.number("$text[7]");
    b.number("$text[6]");
}

fn measured(b: &mut Builder<'_>) {
    b.include(&["stdio.h", "stdlib.h", "string.h"]);
    conversions(b);
    b.code(
        "int $need = snprintf(NULL, 0, @format@arguments);
         char *$text = malloc($need + 1);
         if ($text == NULL) return 0;
         snprintf($text, $need + 1, @format@arguments);",
    );
    b.number("$need");
    b.text("$text");
    b.truth("strlen($text) == (size_t)$need");
    b.last("free($text);");
}

fn appended(b: &mut Builder<'_>) {
    b.include(&["stdio.h", "string.h"]);
    b.value("first", -3, 30);
    b.constant("second", 0, 200);
    b.constant("third", -50, 5);
    b.choose("item", &["\"%d,\"", "\"[%d]\"", "\"%3d\"", "\"%d \""]);
    b.code(
        "int $items[3] = { @first, @second, @third };
         char $list[48] = \"\";
         size_t $used = 0;
         for (int i = 0; i < 3; i++) {
         $used += (size_t)snprintf($list + $used, sizeof $list - $used, @item, $items[i]);
         }",
    );
    b.text("$list");
    b.number("$used");
    b.truth("$list[0] == '\\0'");
    b.number("strlen($list)");
}

fn floats(b: &mut Builder<'_>) {
    b.include(&["stdio.h", "string.h"]);
    b.choose("number", &["1.5", "2.25", "0.1", "-3.75", "100.0", "0.0", "1e3", "12.345"]);
    b.choose("format", &["\"%f\"", "\"%.2f\"", "\"%.0f\"", "\"%8.3f\"", "\"%g\"", "\"%.1e\""]);
    b.code("char $text[40] = \"\";\nint $length = snprintf($text, sizeof $text, @format, @number);");
    b.text("$text");
    b.number("$length");
    b.number("$text[0]");
}

fn stored_count(b: &mut Builder<'_>) {
    b.include(&["stdio.h", "string.h"]);
    b.value("number", 5, 2000);
    b.code("char $text[24] = \"\";\nint $at = -1;");
    let order = b.choose("format", &["\"%n%d\"", "\"%d%n\"", "\"n=%d%n;\"", "\"%4d%n!\""]);
    if order == 0 {
        b.code("int $length = sprintf($text, @format, &$at, @number);");
    } else {
        b.code("int $length = sprintf($text, @format, @number, &$at);");
    }
    b.number("$at");
    b.truth("$at == -1");
    b.number("$length");
    b.text("$text");
}

fn path(b: &mut Builder<'_>) {
    b.include(&["stdio.h", "string.h"]);
    b.choose("folder", &["\"/etc\"", "\"tmp\"", "\"a/b\"", "\".\""]);
    b.choose("name", &["\"hosts\"", "\"file.txt\"", "\"x\""]);
    b.value("number", 0, 12);
    b.choose("format", &["\"%s/%s.%d\"", "\"%s/%s-%03d\"", "\"%s/%s_%d\""]);
    b.code(
        "char $path[32];
         int $length = snprintf($path, sizeof $path, @format, @folder, @name, @number);
         char *$slash = strrchr($path, '/');",
    );
    b.number("$length");
    b.text("$path");
    b.truth("$slash != NULL && strncmp($slash + 1, @name, strlen(@name)) == 0");
}

fn wrapped(b: &mut Builder<'_>) {
    b.include(&["stdarg.h", "stdio.h", "string.h"]);
    b.helper(
        "static int $say(char *to, size_t size, const char *format, ...)\n{\n    va_list arguments;\n    \
         va_start(arguments, format);\n    int length = vsnprintf(to, size, format, arguments);\n    \
         va_end(arguments);\n    return length;\n}",
    );
    conversions(b);
    b.code("char $text[64] = \"\";\nint $length = $say($text, sizeof $text, @format@arguments);");
    b.text("$text");
    b.number("$length");
}

fn allocated(b: &mut Builder<'_>) {
    b.include(&["_GNU_SOURCE", "stdio.h", "stdlib.h", "string.h"]);
    conversions(b);
    b.code(
        "char *$text = NULL;
         int $length = asprintf(&$text, @format@arguments);
         if ($length < 0) return 0;",
    );
    b.text("$text");
    b.number("$length");
    b.truth("$text == NULL");
    b.last("free($text);");
}
