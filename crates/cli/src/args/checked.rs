//! What `--check` names: kinds of checks, as people call them.

use cfa::{CheckKind, CheckKinds};
use clap::ValueEnum;

/// A name of `--check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckArg {
    /// all of them
    All,
    /// assertions alone: one verdict for all of them
    None,
    /// the result of signed arithmetic does not fit
    Overflow,
    /// integer division or remainder by zero
    Div,
    /// a shift by a negative amount, or by the width or more
    Shift,
    /// a floating-point number that does not fit the integer type it is converted to
    FloatToInt,
    /// an access outside an array or another object, or an array of negative length
    Bounds,
    /// an access through a null pointer
    Null,
    /// an access through an address of no object
    InvalidPointer,
    /// an access to memory that was freed, or to a local variable that is gone
    UseAfterFree,
    /// a write to a string literal
    ReadOnly,
    /// bytes that are copied to a place that overlaps their own: memcpy, strcpy, the assignment of a structure
    Overlap,
    /// code that is declared unreachable is reached, a function that is declared not to return returns, a null pointer or 0 is passed where none is allowed
    Misuse,
    /// a call through a pointer that leads to no fitting function
    FunctionPointer,
    /// memory that is freed twice
    DoubleFree,
    /// free or realloc of what was not allocated
    InvalidFree,
    /// memory that is never freed, or that nothing leads to any more
    Leak,
    /// a variable or memory that is read before it has a value
    Uninit,
    /// a _Bool in memory that is neither 0 nor 1
    Bool,
    /// a format of printf that does not fit its arguments
    Format,
    /// code that is never executed; reported, never a violation
    Unreachable,
}

impl CheckArg {
    /// The kinds of checks that it stands for.
    fn kinds(self) -> &'static [CheckKind] {
        match self {
            Self::All => &CheckKind::ALL,
            Self::None | Self::Unreachable => &[],
            Self::Overflow => &[CheckKind::SignedOverflow],
            Self::Div => &[CheckKind::DivisionByZero],
            Self::Shift => &[CheckKind::ShiftAmount],
            Self::FloatToInt => &[CheckKind::FloatToInt],
            Self::Bounds => &[CheckKind::ArrayBounds, CheckKind::ArrayLength, CheckKind::OutOfBounds],
            Self::Null => &[CheckKind::NullDereference],
            Self::InvalidPointer => &[CheckKind::WildPointer],
            Self::UseAfterFree => &[CheckKind::Dangling],
            Self::ReadOnly => &[CheckKind::ReadOnly],
            Self::Overlap => &[CheckKind::Overlap],
            Self::Misuse => &[CheckKind::Misuse],
            Self::FunctionPointer => &[CheckKind::BadFunctionPointer],
            Self::DoubleFree => &[CheckKind::DoubleFree],
            Self::InvalidFree => &[CheckKind::BadFree],
            Self::Leak => &[CheckKind::Leak, CheckKind::LostMemory],
            Self::Uninit => &[CheckKind::Uninitialised],
            Self::Bool => &[CheckKind::InvalidBool],
            Self::Format => &[CheckKind::BadFormat],
        }
    }

    /// Its name on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// What is checked besides assertions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Checked {
    /// The kinds of violations, overflow among them.
    pub(crate) kinds: CheckKinds,
    /// Whether code that is never executed is looked for.
    pub(crate) unreachable: Unreachable,
}

/// Whether code that is never executed is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreachable {
    /// It is, and reported.
    Reported,
    /// It is not.
    Ignored,
}

impl Checked {
    /// What is checked of a plain file if nothing is said: all but leaks.
    pub(crate) fn by_default() -> Self {
        let leaks = CheckArg::Leak.kinds();
        let kinds = CheckKind::ALL.into_iter().filter(|kind| !leaks.contains(kind)).collect();
        Self { kinds, unreachable: Unreachable::Reported }
    }

    /// What a list of names asks for; nothing if it asks for assertions alone.
    pub(crate) fn of(names: &[CheckArg]) -> Option<Self> {
        if names.contains(&CheckArg::None) {
            return None;
        }
        let kinds = names.iter().flat_map(|name| name.kinds()).copied().collect();
        let is_wanted = names.iter().any(|name| matches!(name, CheckArg::All | CheckArg::Unreachable));
        let unreachable = if is_wanted { Unreachable::Reported } else { Unreachable::Ignored };
        Some(Self { kinds, unreachable })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_name_and_leaks_are_not_checked_by_default() {
        for kind in CheckKind::ALL.into_iter().filter(|kind| *kind != CheckKind::Assertion) {
            let named = |arg: &&CheckArg| **arg != CheckArg::All && arg.kinds().contains(&kind);
            assert_eq!(CheckArg::value_variants().iter().filter(named).count(), 1, "{kind:?}");
        }
        let kinds = Checked::by_default().kinds;
        assert!(kinds.contains(CheckKind::SignedOverflow) && !kinds.contains(CheckKind::Leak));
        assert_eq!(Checked::of(&[CheckArg::None]), None);
        let all = Checked::of(&[CheckArg::All]).unwrap();
        assert!(all.kinds.contains(CheckKind::LostMemory) && all.unreachable == Unreachable::Reported);
    }
}
