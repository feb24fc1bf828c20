//! Calls of functions on floats that are exact or correctly rounded.

use super::arguments;
use crate::random::Random;

/// A format: the suffix of functions, the type, the letter of the helpers.
#[derive(Clone, Copy)]
struct Format {
    suffix: &'static str,
    ty: &'static str,
    letter: char,
}

const ALL_FORMATS: [&str; 13] = [
    "rint",
    "nearbyint",
    "trunc",
    "floor",
    "ceil",
    "round",
    "fmax",
    "fmin",
    "copysign",
    "ldexp",
    "scalbn",
    "frexp",
    "modf",
];

/// These have no models for `long double`.
const NOT_LONG_DOUBLE: [&str; 11] = [
    "sqrt",
    "logb",
    "fmod",
    "remainder",
    "fdim",
    "nextafter",
    "lrint",
    "lround",
    "llrint",
    "llround",
    "ilogb",
];

/// One call.
pub(super) fn call(random: &mut Random) -> String {
    let format = *random.pick(&[
        Format { suffix: "", ty: "double", letter: 'd' },
        Format { suffix: "", ty: "double", letter: 'd' },
        Format { suffix: "f", ty: "float", letter: 'f' },
        Format { suffix: "l", ty: "long double", letter: 'l' },
    ]);
    let mut functions = ALL_FORMATS.to_vec();
    if format.letter != 'l' {
        functions.extend(NOT_LONG_DOUBLE);
    }
    let function = *random.pick(&functions);
    let (x, y) = (value(random, format), value(random, format));
    let Format { suffix, ty, letter } = format;
    let n = if random.chance(12) { i64::from(random.bits() as i32) } else { random.between(-2200, 2200) };
    let (call, shows) = match function {
        // glibc does not always give a zero the sign that the standard asks for.
        "remainder" => (
            format!("{ty} value = remainder{suffix}({x}, {y});"),
            format!("show_{letter}(value == 0 ? 0 : value);"),
        ),
        // Which of two zeros is the larger one is open.
        "fmax" | "fmin" => (
            format!("{ty} value = {function}{suffix}({x}, {y});"),
            format!("show_{letter}(value == 0 ? 0 : value);"),
        ),
        "copysign" | "fmod" | "fdim" | "nextafter" => {
            (format!("{ty} value = {function}{suffix}({x}, {y});"), format!("show_{letter}(value);"))
        }
        "ldexp" | "scalbn" => {
            (format!("{ty} value = {function}{suffix}({x}, {n});"), format!("show_{letter}(value);"))
        }
        "frexp" => (
            format!("int more = 0; {ty} value = frexp{suffix}({x}, &more);"),
            format!("show_{letter}(value); printf(\" %d\", more);"),
        ),
        "modf" => (
            format!("{ty} more = 0, value = modf{suffix}({x}, &more);"),
            format!("show_{letter}(value); printf(\" \"); show_{letter}(more);"),
        ),
        "ilogb" => (format!("long long value = ilogb{suffix}({x});"), "printf(\"%lld\", value);".to_owned()),
        // The result is open if it is not in the range of the type.
        "lrint" | "lround" | "llrint" | "llround" => {
            let result = if function.starts_with("ll") { "long long" } else { "long" };
            (
                format!("{ty} x = {x}; long long value = {function}{suffix}(x);"),
                format!(
                    "{ty} limit = sizeof({result}) == 4 ? 2147483000.0 : 9223371487098961920.0;\n    \
                     printf(\"%lld\", x > -limit && x < limit ? value : 0);"
                ),
            )
        }
        _ => (format!("{ty} value = {function}{suffix}({x});"), format!("show_{letter}(value);")),
    };
    format!(
        "    errno = 5;\n    {call}\n    int error = errno;\n    {shows}\n    printf(\" {function}{suffix} %d\\n\", error);\n"
    )
}

fn value(random: &mut Random, format: Format) -> String {
    match format.letter {
        'd' => arguments::double_text(random),
        'f' => arguments::float_text(random),
        _ => arguments::long_double_text(random),
    }
}
