//! Numbers from strings, and `<stdlib.h>` arithmetic.

use super::super::builder::Builder;
use super::Entry;

pub(super) const SCENES: &[Entry] = &[
    (6, integer),
    (3, unsigned),
    (3, out_of_range),
    (3, digits),
    (4, simple),
    (3, real),
    (2, validated),
    (2, absolute),
    (2, division),
    (1, greatest),
];

const TEXTS: [&str; 12] = [
    "\"123\"",
    "\"-45\"",
    "\"  7up\"",
    "\"0x1f\"",
    "\"077\"",
    "\"+9\"",
    "\"abc\"",
    "\"\"",
    "\"- 1\"",
    "\"12 34\"",
    "\"zz\"",
    "\"101102\"",
];

fn integer(b: &mut Builder<'_>) {
    b.include(&["stdlib.h"]);
    b.choose("text", &TEXTS);
    b.choose("base", &["10", "10", "0", "16", "8", "2", "36"]);
    let wide = b.random.chance(25);
    b.set("type", if wide { "long long" } else { "long" });
    b.set("read", if wide { "strtoll" } else { "strtol" });
    b.code(
        "const char *$text = @text;
         char *$end = NULL;
         @type $number = @read($text, &$end, @base);",
    );
    b.number("$number");
    b.number("$end - $text");
    b.number("*$end");
    b.truth("$end == $text");
    b.truth("$end == NULL");
}

fn unsigned(b: &mut Builder<'_>) {
    b.include(&["stdlib.h"]);
    b.choose("text", &TEXTS);
    b.choose("base", &["10", "0", "16"]);
    b.choose("read", &["strtoul", "strtoull"]);
    b.code("char *$end = NULL;\nunsigned long $number = @read(@text, &$end, @base);");
    b.number("(long)$number");
    b.truth("$end && *$end == '\\0'");
    b.truth("$end == NULL");
    b.truth("$number > 100");
}

fn out_of_range(b: &mut Builder<'_>) {
    b.include(&["stdlib.h", "errno.h"]);
    b.choose(
        "text",
        &[
            "\"99999999999999999999\"",
            "\"-99999999999999999999\"",
            "\"9223372036854775807\"",
            "\"5\"",
            "\"-1\"",
        ],
    );
    b.choose("read", &["strtol", "strtol", "strtoll", "strtoul"]);
    b.choose("base", &["10", "0", "16"]);
    b.code(
        "errno = 0;
         char *$end = NULL;
         long $number = (long)@read(@text, &$end, @base);
         int $code = errno;",
    );
    b.number("$code");
    b.number("$number");
    b.truth("$code == ERANGE");
    b.truth("$code == 0");
    b.number("*$end");
}

fn digits(b: &mut Builder<'_>) {
    b.include(&["stdlib.h"]);
    b.value("letter", 47, 58);
    b.constant("place", 0, 2);
    b.choose("base", &["10", "16", "8"]);
    b.code(
        "char $text[] = \"345\";
         $text[@place] = @letter;
         char *$end = $text;
         long $number = strtol($text, &$end, @base);",
    );
    b.number("$number");
    b.number("$end - $text");
    b.truth("$end == $text");
}

fn simple(b: &mut Builder<'_>) {
    b.include(&["stdlib.h"]);
    b.choose("text", &["\"42\"", "\"-7\"", "\" 15kg\"", "\"x\"", "\"\"", "\"+3\"", "\"0012\""]);
    b.choose("read", &["atoi", "atoi", "atol", "atoll"]);
    b.code("long $number = @read(@text);");
    b.number("$number");
    b.truth("$number > 0");
    b.number("$number % 10");
}

fn real(b: &mut Builder<'_>) {
    b.include(&["stdlib.h"]);
    b.choose(
        "text",
        &["\"1.5\"", "\"-2.25x\"", "\"1e3\"", "\".5\"", "\"abc\"", "\" 7\"", "\"0x1p4\"", "\"3.\""],
    );
    match b.random.below(4) {
        0 => b.code("double $number = atof(@text);\nconst char *$end = \"\";"),
        1 => b.code("char *$end = NULL;\nfloat $number = strtof(@text, &$end);"),
        _ => b.code("char *$end = NULL;\ndouble $number = strtod(@text, &$end);"),
    }
    b.truth("$number > 1.0");
    b.number("(long)($number * 4)");
    b.number("*$end");
    b.truth("$end == NULL");
}

fn validated(b: &mut Builder<'_>) {
    b.include(&["stdlib.h", "errno.h", "limits.h"]);
    b.helper(
        "static int $parse(const char *text, int *result)\n{\n    char *end;\n    errno = 0;\n    \
         long number = strtol(text, &end, 10);\n    \
         if (end == text || *end != '\\0' || errno == ERANGE || number > INT_MAX || number < INT_MIN)\n        \
         return -1;\n    *result = (int)number;\n    return 0;\n}",
    );
    b.choose("text", &["\"17\"", "\"2147483648\"", "\"9e9\"", "\"\"", "\"-8\"", "\"99999999999999999999\""]);
    b.code("int $number = 5;\nint $status = $parse(@text, &$number);");
    b.number("$status");
    b.number("$number");
    b.truth("$status == 0 || $number == 5");
}

fn absolute(b: &mut Builder<'_>) {
    b.include(&["stdlib.h"]);
    b.value("number", -9, 9);
    match b.random.below(3) {
        0 => b.code("int $size = abs(@number);"),
        1 => b.code("long $size = labs(@number);"),
        _ => b.code("long long $size = llabs((long long)@number * 5000000000);"),
    }
    b.number("$size");
    b.truth("$size >= 0");
    b.truth("$size == @number");
}

fn division(b: &mut Builder<'_>) {
    b.include(&["stdlib.h"]);
    b.value("over", -20, 20);
    b.choose("under", &["3", "-3", "7", "-1", "10"]);
    if b.random.chance(60) {
        b.code("div_t $d = div(@over, @under);");
    } else {
        b.code("ldiv_t $d = ldiv(@over, @under);");
    }
    b.number("$d.quot");
    b.number("$d.rem");
    b.truth("$d.quot * @under + $d.rem == @over");
}

fn greatest(b: &mut Builder<'_>) {
    b.include(&["inttypes.h", "stddef.h"]);
    b.choose("text", &TEXTS);
    b.choose("base", &["10", "16", "0"]);
    if b.random.chance(60) {
        b.code("char *$end = NULL;\nintmax_t $number = strtoimax(@text, &$end, @base);");
    } else {
        b.code("char *$end = NULL;\nuintmax_t $number = strtoumax(@text, &$end, @base);");
    }
    b.number("(intmax_t)$number");
    b.number("*$end");
    b.truth("$end == NULL");
    b.truth("imaxabs((intmax_t)$number) < 100");
}
