//! What the compiler says about itself and its options: the macros that it defines before the text.
//!
//! Options reach the compiler in several ways (a build, the variable `CC`, its own configuration), and their names differ. What they mean for
//! the language shows in these macros, so a compiler that contradicts the model of the front end is refused whoever chose it.
//!
//! # Invariants
//! * I1: only definitions of the compiler itself are read: those between `# … "<built-in>"` and the next marker.

use base::Diagnostic;
use cfa::DataModel;

use super::Options;
use crate::ast::DecimalConstants;

/// What the front end has to know of a compiler's rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rules {
    /// The types of decimal constants.
    pub(crate) decimal_constants: DecimalConstants,
    /// Whether `#pragma omp` is followed.
    pub(crate) open_mp: bool,
    /// Whether there is any optimisation.
    pub(crate) is_optimised: bool,
}

/// Macros with the only value that the front end models, for ILP32 and for LP64; `None` if any will do. Then the rule, for people.
const VALUES: [(&str, Option<&str>, Option<&str>, &str); 18] = [
    ("__CHAR_BIT__", Some("8"), Some("8"), "bytes have 8 bits"),
    ("__SIZEOF_SHORT__", Some("2"), Some("2"), "`short` has 2 bytes"),
    ("__SIZEOF_INT__", Some("4"), Some("4"), "`int` has 4 bytes"),
    ("__SIZEOF_LONG__", Some("4"), Some("8"), "`long` has as many bytes as the data model says"),
    ("__SIZEOF_LONG_LONG__", Some("8"), Some("8"), "`long long` has 8 bytes"),
    ("__SIZEOF_POINTER__", Some("4"), Some("8"), "pointers have as many bytes as the data model says"),
    ("__SIZEOF_FLOAT__", Some("4"), Some("4"), "`float` has 4 bytes"),
    ("__SIZEOF_DOUBLE__", Some("8"), Some("8"), "`double` has 8 bytes"),
    ("__SIZEOF_LONG_DOUBLE__", Some("12"), Some("16"), "`long double` is the 80-bit format of x86"),
    ("__LDBL_MANT_DIG__", Some("64"), Some("64"), "`long double` is the 80-bit format of x86"),
    ("__SIZEOF_WCHAR_T__", Some("4"), Some("4"), "`wchar_t` has 4 bytes"),
    (
        "__BYTE_ORDER__",
        Some("__ORDER_LITTLE_ENDIAN__"),
        Some("__ORDER_LITTLE_ENDIAN__"),
        "bytes are in little-endian order",
    ),
    ("__FLT_RADIX__", Some("2"), Some("2"), "floating-point numbers are binary"),
    ("__DBL_MANT_DIG__", Some("53"), Some("53"), "`double` is the 64-bit format of IEEE 754"),
    ("__FLT_MANT_DIG__", Some("24"), Some("24"), "`float` is the 32-bit format of IEEE 754"),
    ("__FINITE_MATH_ONLY__", Some("0"), Some("0"), "floating-point numbers may be infinite or NaN"),
    // On i386 the front end computes as `-msse2 -mfpmath=sse` does, whatever the compiler's default is.
    (
        "__FLT_EVAL_METHOD__",
        None,
        Some("0"),
        "floating-point operations are done in the precision of their type",
    ),
    ("__USER_LABEL_PREFIX__", Some(""), Some(""), "names of symbols are those of the text"),
];

/// Macros that must not be defined.
const ABSENT: [(&str, &str); 9] = [
    ("__CHAR_UNSIGNED__", "plain `char` is signed"),
    ("__WCHAR_UNSIGNED__", "`wchar_t` is signed"),
    ("__FAST_MATH__", "floating-point operations follow IEEE 754"),
    ("__ASSOCIATIVE_MATH__", "floating-point operations follow IEEE 754"),
    ("__RECIPROCAL_MATH__", "floating-point operations follow IEEE 754"),
    ("__NO_SIGNED_ZEROS__", "floating-point operations follow IEEE 754"),
    ("__ROUNDING_MATH__", "the rounding mode is to nearest"),
    ("__SUPPORT_SNAN__", "NaNs do not signal"),
    ("__cplusplus", "the language is C"),
];

/// The newest version of C whose rules are those of the front end.
const NEWEST: u32 = 201_710;

/// Reads the macros at the start of the compiler's output; an error if they contradict the model.
pub(super) fn read(output: &[u8], options: &Options) -> Result<Rules, Diagnostic> {
    let mut macros = Vec::new();
    let mut is_own = false;
    for line in output.split(|byte| *byte == b'\n') {
        if let Some(marker) = line.strip_prefix(b"# ") {
            let was_own = is_own;
            is_own = marker.windows(11).any(|part| part == b"\"<built-in>");
            // The text of the user follows.
            if was_own && !is_own {
                break;
            }
        } else if let Some(definition) = line.strip_prefix(b"#define ").filter(|_| is_own) {
            let definition = String::from_utf8_lossy(definition).into_owned();
            let (name, value) = definition.split_once(' ').unwrap_or((&definition, ""));
            macros.push((name.to_owned(), value.trim().to_owned()));
        }
    }
    let value =
        |name: &str| macros.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    for (name, ilp32, lp64, rule) in VALUES {
        let expected = match options.data_model {
            DataModel::Ilp32 => ilp32,
            DataModel::Lp64 => lp64,
        };
        if let (Some(found), Some(expected)) = (value(name), expected)
            && found != expected
        {
            return Err(contradiction(name, found, rule));
        }
    }
    for (name, rule) in ABSENT {
        if let Some(found) = value(name) {
            return Err(contradiction(name, found, rule));
        }
    }
    let version =
        value("__STDC_VERSION__").map_or(0, |text| text.trim_end_matches('L').parse().unwrap_or(u32::MAX));
    if version > NEWEST {
        return Err(contradiction("__STDC_VERSION__", &version.to_string(), "the language is C17 or older"));
    }
    // Where the machine has the instruction, an optimising compiler fuses products and sums unless it is told not to.
    let fuses = value("__FP_FAST_FMA").or(value("__FMA__")).or(value("__FMA4__")).is_some();
    let is_told = options.others.iter().any(|option| option == "-ffp-contract=off");
    if fuses && value("__OPTIMIZE__").is_some() && value("__STRICT_ANSI__").is_none() && !is_told {
        return Err(contradiction(
            "__FMA__",
            "1",
            "products and sums of floating-point numbers are not fused",
        )
        .with_help("with -ffp-contract=off the compiler rounds each operation, as the model does"));
    }
    let decimal_constants = if version < 199_901 && value("__STDC__").is_some() {
        DecimalConstants::C89
    } else {
        DecimalConstants::C99
    };
    let (open_mp, is_optimised) = (value("_OPENMP").is_some(), value("__OPTIMIZE__").is_some());
    Ok(Rules { decimal_constants, open_mp, is_optimised })
}

fn contradiction(name: &str, value: &str, rule: &str) -> Diagnostic {
    Diagnostic::global(format!(
        "the compiler, with its options, defines `{name}` as `{value}`, but the model is: {rule}"
    ))
    .with_help("choose another compiler with the variable CC, or leave out the option that does this")
}

/// The rules for a text that the preprocessor does not see: what the options say.
pub(crate) fn without_output(options: &Options) -> Rules {
    let given = options.others.iter().map(|option| option.to_string_lossy().into_owned());
    let mut rules = Rules::default();
    for option in options.compiler_words().skip(1).chain(given) {
        let standard = option.trim_start_matches('-').strip_prefix("std=").unwrap_or(&option);
        match standard {
            "c89" | "c90" | "gnu89" | "gnu90" | "iso9899:1990" | "iso9899:199409" | "-ansi" => {
                rules.decimal_constants = DecimalConstants::C89;
            }
            _ if standard.len() < option.len() => rules.decimal_constants = DecimalConstants::C99,
            "-fopenmp" => rules.open_mp = true,
            "-fno-openmp" => rules.open_mp = false,
            "-O0" => rules.is_optimised = false,
            _ if option.starts_with("-O") => rules.is_optimised = true,
            _ => {}
        }
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(macros: &str) -> Result<Rules, String> {
        let output = format!(
            "# 0 \"a.c\"\n# 0 \"<built-in>\"\n{macros}# 0 \"<command-line>\"\n#define __CHAR_BIT__ 9\n"
        );
        read(output.as_bytes(), &Options::new(DataModel::Lp64)).map_err(|diagnostic| diagnostic.message)
    }

    #[test]
    fn a_compiler_that_contradicts_the_model_is_refused() {
        assert_eq!(rules("#define __CHAR_BIT__ 8\n#define __STDC_VERSION__ 201112L\n"), Ok(Rules::default()));
        assert!(rules("#define __CHAR_UNSIGNED__ 1\n").unwrap_err().contains("plain `char` is signed"));
        assert!(rules("#define __SIZEOF_LONG_DOUBLE__ 8\n").unwrap_err().contains("80-bit"));
        assert!(rules("#define __STDC_VERSION__ 202000L\n").unwrap_err().contains("C17"));
        let fused = "#define __FMA__ 1\n";
        assert!(rules("#define __OPTIMIZE__ 1\n").is_ok_and(|rules| rules.is_optimised));
        assert!(rules(fused).is_ok(), "nothing is fused without optimisation");
        assert!(rules(&format!("{fused}#define __OPTIMIZE__ 1\n")).unwrap_err().contains("fused"));
    }

    #[test]
    fn old_standards_have_other_types_of_decimal_constants() {
        let old = Rules { decimal_constants: DecimalConstants::C89, ..Rules::default() };
        assert_eq!(rules("#define __STDC__ 1\n"), Ok(old));
        let mut options = Options::new(DataModel::Lp64);
        options.compiler = Some("cc -std=gnu99".to_owned());
        assert_eq!(without_output(&options), Rules::default());
        options.others = vec!["-std=gnu89".into()];
        assert_eq!(without_output(&options), old);
    }
}
