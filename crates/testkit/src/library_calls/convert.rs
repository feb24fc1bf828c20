//! Calls that read numbers from text.

use super::arguments;
use crate::random::Random;

/// `strtol` and its relatives.
pub(super) fn integer(random: &mut Random) -> String {
    let text = arguments::literal(&arguments::integer_bytes(random));
    if random.chance(15) {
        return format!(
            "    const char *text = {text};\n    \
             printf(\"ato %d %ld %lld\\n\", atoi(text), atol(text), atoll(text));\n"
        );
    }
    let function = *random.pick(&["strtol", "strtoul", "strtoll", "strtoull", "strtoimax", "strtoumax"]);
    let base = match random.below(6) {
        0 => random.between(-4, 40),
        1 | 2 => 10,
        3 => 0,
        _ => random.between(2, 36),
    };
    let end = if random.chance(85) { "&end" } else { "0" };
    format!(
        "    const char *text = {text};\n    char *end = (char *)text + 1;\n    errno = 5;\n    \
         long long value = (long long){function}(text, {end}, {base});\n    \
         printf(\"{function} %lld %d %d\\n\", value, distance(text, end), errno);\n"
    )
}

/// `strtod` and its relatives.
pub(super) fn float(random: &mut Random) -> String {
    let text = arguments::literal(&arguments::float_bytes(random));
    let (function, ty, letter) =
        *random.pick(&[("strtod", "double", 'd'), ("strtof", "float", 'f'), ("strtold", "long double", 'l')]);
    if random.chance(10) {
        return format!("    show_d(atof({text}));\n    printf(\" atof\\n\");\n");
    }
    format!(
        "    const char *text = {text};\n    char *end = 0;\n    errno = 5;\n    {ty} value = {function}(text, &end);\n    \
         show_{letter}(value);\n    printf(\" {function} %d %d\\n\", distance(text, end), errno);\n"
    )
}
