//! What is asked about a program: the kinds of checks, and whether each of them or any.

use cfa::{CheckKind, CheckKinds, SignedOverflow};
use checks::Goal;

/// A question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// Calls of the error function.
    Assertions,
    /// All kinds but leaks.
    Default,
    /// All kinds.
    All,
    /// Signed overflow.
    Overflow,
    /// Accesses outside of arrays and objects.
    Bounds,
    /// Accesses through null and through addresses of nothing.
    Null,
    /// Accesses to what is no more.
    UseAfterFree,
    /// `free` of what cannot be freed.
    DoubleFree,
    /// Memory that is not freed.
    Leak,
    /// Division by zero.
    Division,
    /// Shift amounts.
    Shift,
    /// Uninitialised values.
    Uninitialised,
    /// The property of SV-COMP.
    NoOverflow,
    /// The property of SV-COMP.
    ValidMemsafety,
    /// The property of SV-COMP.
    ValidMemcleanup,
}

impl Question {
    /// All questions.
    pub const ALL: [Self; 15] = [
        Self::Assertions,
        Self::Default,
        Self::All,
        Self::Overflow,
        Self::Bounds,
        Self::Null,
        Self::UseAfterFree,
        Self::DoubleFree,
        Self::Leak,
        Self::Division,
        Self::Shift,
        Self::Uninitialised,
        Self::NoOverflow,
        Self::ValidMemsafety,
        Self::ValidMemcleanup,
    ];

    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Assertions => "assertions",
            Self::Default => "default",
            Self::All => "all",
            Self::Overflow => "overflow",
            Self::Bounds => "bounds",
            Self::Null => "null",
            Self::UseAfterFree => "use-after-free",
            Self::DoubleFree => "double-free",
            Self::Leak => "leak",
            Self::Division => "div",
            Self::Shift => "shift",
            Self::Uninitialised => "uninit",
            Self::NoOverflow => "no-overflow",
            Self::ValidMemsafety => "valid-memsafety",
            Self::ValidMemcleanup => "valid-memcleanup",
        }
    }

    fn includes(self, kind: CheckKind) -> bool {
        let is_leak = matches!(kind, CheckKind::Leak | CheckKind::LostMemory);
        match self {
            Self::Assertions | Self::Overflow | Self::NoOverflow => false,
            Self::Default => !is_leak,
            Self::All => true,
            Self::Bounds => {
                matches!(kind, CheckKind::ArrayBounds | CheckKind::ArrayLength | CheckKind::OutOfBounds)
            }
            Self::Null => matches!(kind, CheckKind::NullDereference | CheckKind::WildPointer),
            Self::UseAfterFree => kind == CheckKind::Dangling,
            Self::DoubleFree => matches!(kind, CheckKind::DoubleFree | CheckKind::BadFree),
            Self::Leak => is_leak,
            Self::Division => kind == CheckKind::DivisionByZero,
            Self::Shift => kind == CheckKind::ShiftAmount,
            Self::Uninitialised => kind == CheckKind::Uninitialised,
            Self::ValidMemsafety => {
                matches!(kind.property(), Some("valid-deref" | "valid-free" | "valid-memtrack"))
            }
            Self::ValidMemcleanup => kind.property() == Some("valid-memcleanup"),
        }
    }

    /// The kinds of undefined behaviour that are violations, besides overflow.
    pub(super) fn kinds(self) -> CheckKinds {
        let is_separate = |kind: &CheckKind| matches!(kind, CheckKind::Assertion | CheckKind::SignedOverflow);
        CheckKind::ALL.into_iter().filter(|kind| !is_separate(kind) && self.includes(*kind)).collect()
    }

    /// What signed overflow is.
    pub(super) fn signed_overflow(self) -> SignedOverflow {
        match self {
            Self::Default | Self::All | Self::Overflow | Self::NoOverflow => SignedOverflow::Error,
            _ => SignedOverflow::Undefined,
        }
    }

    /// Whether a call of the error function is no violation.
    pub(super) fn is_silent_about_calls(self) -> bool {
        matches!(self, Self::NoOverflow | Self::ValidMemsafety | Self::ValidMemcleanup)
    }

    /// Whether it is a property of SV-COMP, or each check has a verdict of its own.
    pub(super) fn goal(self) -> Goal {
        match self {
            Self::Assertions | Self::NoOverflow | Self::ValidMemsafety | Self::ValidMemcleanup => Goal::Any,
            _ => Goal::Each,
        }
    }
}
