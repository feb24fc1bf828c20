//! Functions whose results the C library defines.
//!
//! A function without body returns an arbitrary value: that is the convention for functions of the user. Of `sin` or `strlen` it is not true, so an
//! execution that chooses what they return is no execution of the program. Functions that read the outside world (`getchar`, `time`) are not
//! listed: theirs are inputs.

/// Whether the C library defines what a function returns for its arguments.
pub(crate) fn defines(function: &str) -> bool {
    let name = function.strip_prefix("__builtin_").unwrap_or(function);
    is_about_memory(name) || is_about_characters(name) || is_about_numbers(name)
}

fn is_about_memory(name: &str) -> bool {
    matches!(
        name,
        "memcmp"
            | "bcmp"
            | "memchr"
            | "memrchr"
            | "memmem"
            | "strlen"
            | "strnlen"
            | "strcpy"
            | "strcat"
            | "stpcpy"
            | "strncpy"
            | "strncat"
            | "stpncpy"
            | "strcmp"
            | "strcasecmp"
            | "strncmp"
            | "strncasecmp"
            | "strcoll"
            | "strchr"
            | "strchrnul"
            | "strrchr"
            | "index"
            | "rindex"
            | "strstr"
            | "strcasestr"
            | "strpbrk"
            | "strspn"
            | "strcspn"
            | "strdup"
            | "strndup"
            | "strsep"
    )
}

fn is_about_characters(name: &str) -> bool {
    matches!(
        name,
        "isalnum"
            | "isalpha"
            | "isblank"
            | "iscntrl"
            | "isdigit"
            | "isgraph"
            | "islower"
            | "isprint"
            | "ispunct"
            | "isspace"
            | "isupper"
            | "isxdigit"
            | "isascii"
            | "tolower"
            | "toupper"
            | "toascii"
            | "__ctype_b_loc"
            | "__ctype_tolower_loc"
            | "__ctype_toupper_loc"
    )
}

fn is_about_numbers(name: &str) -> bool {
    if matches!(
        name,
        "abs"
            | "labs"
            | "llabs"
            | "imaxabs"
            | "div"
            | "ldiv"
            | "lldiv"
            | "ffs"
            | "ffsl"
            | "ffsll"
            | "atoi"
            | "atol"
            | "atoll"
            | "atof"
            | "strtol"
            | "strtoll"
            | "strtoul"
            | "strtoull"
            | "strtod"
            | "strtof"
            | "strtold"
            | "htons"
            | "htonl"
            | "ntohs"
            | "ntohl"
    ) {
        return true;
    }
    // Classification, under the names of the C library.
    let classified = name.trim_start_matches('_').trim_end_matches(['f', 'l']);
    if matches!(classified, "isnan" | "isin" | "isinf" | "finite" | "fpclassi" | "fpclassify" | "signbit") {
        return true;
    }
    is_of_mathematics(name) || name.strip_suffix(['f', 'l']).is_some_and(is_of_mathematics)
}

/// The functions of `<math.h>` for `double`; those for other types have a suffix.
fn is_of_mathematics(name: &str) -> bool {
    matches!(
        name,
        "sin"
            | "cos"
            | "tan"
            | "asin"
            | "acos"
            | "atan"
            | "atan2"
            | "sinh"
            | "cosh"
            | "tanh"
            | "asinh"
            | "acosh"
            | "atanh"
            | "exp"
            | "exp2"
            | "exp10"
            | "expm1"
            | "log"
            | "log2"
            | "log10"
            | "log1p"
            | "logb"
            | "ilogb"
            | "pow"
            | "sqrt"
            | "cbrt"
            | "hypot"
            | "ceil"
            | "floor"
            | "trunc"
            | "round"
            | "rint"
            | "nearbyint"
            | "lround"
            | "llround"
            | "lrint"
            | "llrint"
            | "fmod"
            | "remainder"
            | "remquo"
            | "fabs"
            | "fmax"
            | "fmin"
            | "fdim"
            | "fma"
            | "copysign"
            | "nan"
            | "ldexp"
            | "scalbn"
            | "scalbln"
            | "erf"
            | "erfc"
            | "tgamma"
            | "lgamma"
            | "nextafter"
            | "nexttoward"
            | "drem"
            | "j0"
            | "j1"
            | "y0"
            | "y1"
            | "significand"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_told_from_the_users_functions() {
        for function in
            ["sin", "sinf", "sqrtl", "__builtin_strlen", "__isnanf", "__finite", "__isinf", "atoi"]
        {
            assert!(defines(function), "{function}");
        }
        for function in ["getchar", "time", "f", "l", "sensor", "logger", "is_valid", "sinusoid"] {
            assert!(!defines(function), "{function}");
        }
    }
}
