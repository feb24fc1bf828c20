//! Which sanitizer of the compiler reports a violation, and how.
//!
//! # Invariants
//! * Z1: a report confirms a violation only if it is of its kind. What a program prints is no report: sanitizers write to a file.
//! * Z2: that a sanitizer is silent is a veto only where it looks at every operation of the kind ([`Sanitizer::is_complete`]).

use cfa::CheckKind;

/// How the compiler's own checks see a kind of violation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sanitizer {
    /// The option that switches it on.
    pub(super) flag: &'static str,
    /// The variable that has its options.
    pub(super) variable: &'static str,
    /// Its options, besides the place of the report.
    pub(super) options: &'static str,
    /// Words of which one is in the report.
    words: &'static [&'static str],
    /// Whether no violation of the kind goes by unseen.
    pub(super) is_complete: bool,
}

const UNDEFINED: Sanitizer = Sanitizer {
    flag: "",
    variable: "UBSAN_OPTIONS",
    options: "",
    words: &["runtime error: "],
    is_complete: false,
};
const ADDRESS: Sanitizer = Sanitizer {
    flag: "-fsanitize=address",
    variable: "ASAN_OPTIONS",
    options: "detect_leaks=0:detect_stack_use_after_return=1:",
    words: &[],
    is_complete: false,
};

impl Sanitizer {
    /// The sanitizer for a kind of violation, or why there is none. Assertions need none.
    pub(super) fn of(kind: CheckKind) -> Result<Self, &'static str> {
        let undefined = |flag, words| Ok(Self { flag, words, ..UNDEFINED });
        let address = |words| Ok(Self { words, ..ADDRESS });
        match kind {
            CheckKind::Assertion => Err("an assertion needs no sanitizer"),
            CheckKind::SignedOverflow => undefined(
                "-fsanitize=signed-integer-overflow,shift",
                &["signed integer overflow", "negation of", "left shift of", "cannot be represented"],
            ),
            CheckKind::DivisionByZero => {
                // The least value divided by -1 is of this kind where overflow wraps around; the option for it is that of overflows.
                let divide = Self {
                    flag: "-fsanitize=integer-divide-by-zero,signed-integer-overflow",
                    words: &["division by zero", "division of"],
                    ..UNDEFINED
                };
                Ok(Self { is_complete: true, ..divide })
            }
            CheckKind::ShiftAmount => undefined("-fsanitize=shift", &["shift exponent"]),
            CheckKind::FloatToInt => undefined("-fsanitize=float-cast-overflow", &["outside the range"]),
            CheckKind::ArrayBounds => undefined("-fsanitize=bounds-strict", &["out of bounds"]),
            CheckKind::ArrayLength => undefined("-fsanitize=vla-bound", &["variable length array bound"]),
            CheckKind::InvalidBool => undefined("-fsanitize=bool", &["load of value"]),
            CheckKind::OutOfBounds => address(&["overflow", "underflow", "unknown-crash", "SEGV", "BUS"]),
            CheckKind::NullDereference | CheckKind::WildPointer | CheckKind::ReadOnly => {
                address(&["SEGV", "BUS", "unknown-crash", "overflow", "underflow", "use-after"])
            }
            CheckKind::Overlap => address(&["param-overlap"]),
            CheckKind::Misuse => undefined(
                "-fsanitize=unreachable,builtin,nonnull-attribute",
                &["unreachable program point", "not a valid argument", "null pointer passed as argument"],
            ),
            CheckKind::BadFunctionPointer => address(&["SEGV", "BUS", "ILL"]),
            CheckKind::Dangling => address(&["use-after", "SEGV"]),
            CheckKind::DoubleFree => Ok(Self { words: &["double-free"], is_complete: true, ..ADDRESS }),
            CheckKind::BadFree => Ok(Self {
                words: &["bad-free", "not malloc()-ed", "alloc-dealloc"],
                is_complete: true,
                ..ADDRESS
            }),
            CheckKind::Leak | CheckKind::LostMemory => {
                Ok(Self { options: "detect_leaks=1:", words: &["detected memory leaks"], ..ADDRESS })
            }
            CheckKind::Uninitialised => Err("the compiler has no sanitizer for uninitialised values"),
            CheckKind::BadFormat => Err("the compiler has no sanitizer for formats"),
        }
    }

    /// The options of the build.
    pub(super) fn flags(self) -> [String; 2] {
        [self.flag.to_owned(), "-fno-sanitize-recover=all".to_owned()]
    }

    /// The options of the run, with the place of the report.
    pub(super) fn environment(self, report: &str) -> String {
        format!("{}log_path='{report}'", self.options)
    }

    /// Whether a report is of the kind.
    pub(super) fn confirms(self, report: &str) -> bool {
        self.words.iter().any(|word| report.contains(word))
    }
}

/// The line of a report that says what is wrong.
pub(super) fn gist(report: &str) -> Option<&str> {
    let says = |line: &&str| line.contains("runtime error: ") || line.contains("ERROR: ");
    report.lines().find(says).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_another_kind_confirms_nothing() {
        let leak = Sanitizer::of(CheckKind::Leak).unwrap();
        assert!(leak.confirms("==1==ERROR: LeakSanitizer: detected memory leaks"));
        let overflow = Sanitizer::of(CheckKind::SignedOverflow).unwrap();
        let report = "a.c:1:2: runtime error: division by zero";
        assert!(
            !overflow.confirms(report) && Sanitizer::of(CheckKind::DivisionByZero).unwrap().confirms(report)
        );
        assert_eq!(gist(&format!("\n{report}\n")), Some(report));
        assert!(Sanitizer::of(CheckKind::Uninitialised).is_err());
    }
}
