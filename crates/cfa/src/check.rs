//! Kinds of checks: what may count as a violation of a property.
//!
//! A program says which kinds are violations ([`crate::Program::checks`]; signed overflow by [`crate::SignedOverflow::Error`]); others end an execution
//! silently. SOUNDNESS.md defines each of them.

use std::fmt;

use rustc_hash::FxHashSet;

use crate::{EdgeId, ExprId, ProcId};

/// What may go wrong, as precisely as the interpreter tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckKind {
    /// A call of an error function, or a failing `assert`.
    Assertion,
    /// The result of signed arithmetic does not fit its type.
    SignedOverflow,
    /// Integer division or remainder by zero.
    DivisionByZero,
    /// A shift by a negative amount, or by the width or more.
    ShiftAmount,
    /// A float that does not fit the integer type it is converted to.
    FloatToInt,
    /// An index outside an array variable.
    ArrayBounds,
    /// An array of negative length.
    ArrayLength,
    /// An access outside the object that a pointer points to.
    OutOfBounds,
    /// An access through the null pointer or an address near it.
    NullDereference,
    /// An access through an address that belongs to no object.
    WildPointer,
    /// An access to an object whose lifetime is over, or has not begun.
    Dangling,
    /// A write to a string literal or another object that is read-only.
    ReadOnly,
    /// Bytes that are copied to a place that overlaps their own.
    Overlap,
    /// What the program or the library promises to the compiler does not hold: code that is declared unreachable is reached, a function that is declared not
    /// to return returns, a null pointer is passed to a function of the library that takes none, 0 to a builtin that is undefined for it, pointers are subtracted that
    /// do not lead to elements of one array.
    Misuse,
    /// A call through a pointer that points to no procedure that may be called there.
    BadFunctionPointer,
    /// A heap object that is freed a second time.
    DoubleFree,
    /// `free` or `realloc` of what is not the start of a heap object.
    BadFree,
    /// Heap memory that is not freed when the program ends.
    Leak,
    /// Heap memory that nothing leads to any more.
    LostMemory,
    /// The value of a variable or memory that was never given one.
    Uninitialised,
    /// A `_Bool` in memory that is neither 0 nor 1.
    InvalidBool,
    /// An output format that does not match its arguments.
    BadFormat,
}

impl CheckKind {
    /// All kinds, in order.
    pub const ALL: [Self; 22] = [
        Self::Assertion,
        Self::SignedOverflow,
        Self::DivisionByZero,
        Self::ShiftAmount,
        Self::FloatToInt,
        Self::ArrayBounds,
        Self::ArrayLength,
        Self::OutOfBounds,
        Self::NullDereference,
        Self::WildPointer,
        Self::Dangling,
        Self::ReadOnly,
        Self::Overlap,
        Self::Misuse,
        Self::BadFunctionPointer,
        Self::DoubleFree,
        Self::BadFree,
        Self::Leak,
        Self::LostMemory,
        Self::Uninitialised,
        Self::InvalidBool,
        Self::BadFormat,
    ];

    /// The name for machines: in the text format of programs and in reports.
    pub fn code(self) -> &'static str {
        match self {
            Self::Assertion => "assertion",
            Self::SignedOverflow => "signed-overflow",
            Self::DivisionByZero => "division-by-zero",
            Self::ShiftAmount => "shift-amount",
            Self::FloatToInt => "float-to-int",
            Self::ArrayBounds => "array-bounds",
            Self::ArrayLength => "array-length",
            Self::OutOfBounds => "out-of-bounds",
            Self::NullDereference => "null-dereference",
            Self::WildPointer => "wild-pointer",
            Self::Dangling => "use-after-free",
            Self::ReadOnly => "read-only",
            Self::Overlap => "overlap",
            Self::Misuse => "misuse",
            Self::BadFunctionPointer => "function-pointer",
            Self::DoubleFree => "double-free",
            Self::BadFree => "invalid-free",
            Self::Leak => "leak",
            Self::LostMemory => "lost-memory",
            Self::Uninitialised => "uninitialised",
            Self::InvalidBool => "invalid-bool",
            Self::BadFormat => "format",
        }
    }

    /// The kind of a name for machines.
    pub fn of_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// The property of SV-COMP that it violates, if there is one.
    pub fn property(self) -> Option<&'static str> {
        match self {
            Self::Assertion => Some("unreach-call"),
            Self::SignedOverflow => Some("no-overflow"),
            Self::ArrayBounds
            | Self::OutOfBounds
            | Self::NullDereference
            | Self::WildPointer
            | Self::Dangling
            | Self::ReadOnly
            | Self::BadFunctionPointer => Some("valid-deref"),
            Self::DoubleFree | Self::BadFree => Some("valid-free"),
            Self::LostMemory => Some("valid-memtrack"),
            Self::Leak => Some("valid-memcleanup"),
            Self::DivisionByZero
            | Self::ShiftAmount
            | Self::FloatToInt
            | Self::ArrayLength
            | Self::Overlap
            | Self::Misuse
            | Self::Uninitialised
            | Self::InvalidBool
            | Self::BadFormat => None,
        }
    }

    /// Whether it is an access to memory through an address, or to an array, that goes wrong.
    pub fn is_access(self) -> bool {
        matches!(
            self,
            Self::ArrayBounds
                | Self::OutOfBounds
                | Self::NullDereference
                | Self::WildPointer
                | Self::Dangling
                | Self::ReadOnly
        )
    }

    /// Whether it is undefined behaviour: then nothing that an execution does afterwards has a meaning.
    pub fn is_undefined(self) -> bool {
        !matches!(self, Self::Assertion | Self::Leak | Self::LostMemory)
    }
}

impl fmt::Display for CheckKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Assertion => "assertion",
            Self::SignedOverflow => "signed overflow",
            Self::DivisionByZero => "division by zero",
            Self::ShiftAmount => "shift amount out of range",
            Self::FloatToInt => "float out of the integer's range",
            Self::ArrayBounds => "array index out of bounds",
            Self::ArrayLength => "negative array length",
            Self::OutOfBounds => "access outside the object",
            Self::NullDereference => "null pointer dereference",
            Self::WildPointer => "access to an address of no object",
            Self::Dangling => "access to an object outside its lifetime",
            Self::ReadOnly => "write to read-only memory",
            Self::Overlap => "copy to a place that overlaps its source",
            Self::Misuse => "misuse of a pointer, function or builtin",
            Self::BadFunctionPointer => "call through a bad function pointer",
            Self::DoubleFree => "double free",
            Self::BadFree => "free of what was not allocated",
            Self::Leak => "memory that is not freed at the end",
            Self::LostMemory => "memory that nothing leads to",
            Self::Uninitialised => "read of an uninitialised value",
            Self::InvalidBool => "invalid truth value",
            Self::BadFormat => "output format that does not match",
        })
    }
}

/// A set of kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CheckKinds {
    bits: u32,
}

impl CheckKinds {
    /// None.
    pub const NONE: Self = Self { bits: 0 };

    /// Whether a kind is in the set.
    pub fn contains(self, kind: CheckKind) -> bool {
        self.bits >> kind as u32 & 1 != 0
    }
    /// Adds a kind.
    pub fn insert(&mut self, kind: CheckKind) {
        self.bits |= 1 << kind as u32;
    }
    /// Takes a kind out; whether it was there.
    pub fn remove(&mut self, kind: CheckKind) -> bool {
        let was = self.contains(kind);
        self.bits &= !(1 << kind as u32);
        was
    }
    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.bits == 0
    }
    /// The kinds, in order.
    pub fn iter(self) -> impl Iterator<Item = CheckKind> {
        CheckKind::ALL.into_iter().filter(move |kind| self.contains(*kind))
    }
    /// The kinds of either set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { bits: self.bits | other.bits }
    }
}

/// An operation of a program, and the expression in it that goes wrong; none if the operation itself does. What leads to an error location counts as the first
/// operation of its edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CheckSite {
    /// The procedure.
    pub proc: ProcId,
    /// The edge.
    pub edge: EdgeId,
    /// The position among its operations.
    pub op: u32,
    /// The expression.
    pub expr: Option<ExprId>,
}

/// Violations that are known: an execution ends there, and that is no violation any more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excused {
    sites: FxHashSet<(CheckKind, CheckSite)>,
    ends: CheckKinds,
}

impl Excused {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty() && self.ends.is_empty()
    }
    /// Whether a violation at an operation, or where the program returns, is known.
    pub fn contains(&self, kind: CheckKind, site: Option<CheckSite>) -> bool {
        let at = |site| self.sites.contains(&(kind, site));
        site.is_some_and(at) || self.ends.contains(kind) && (site.is_none() || kind == CheckKind::LostMemory)
    }
    /// What goes wrong at an operation is known.
    pub fn add(&mut self, kind: CheckKind, site: CheckSite) {
        self.sites.insert((kind, site));
    }
    /// What is wrong with memory where the program returns is known; of memory that is lost, everywhere.
    pub fn add_end(&mut self, kind: CheckKind) {
        self.ends.insert(kind);
    }
}

impl FromIterator<CheckKind> for CheckKinds {
    fn from_iter<T: IntoIterator<Item = CheckKind>>(kinds: T) -> Self {
        let mut set = Self::NONE;
        for kind in kinds {
            set.insert(kind);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_kinds_apart() {
        for (position, kind) in CheckKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, position);
            assert_eq!(CheckKind::of_code(kind.code()), Some(kind));
        }
        assert_eq!(CheckKind::of_code("nothing"), None);
    }

    #[test]
    fn sets_hold_what_was_put_in() {
        let mut set: CheckKinds = [CheckKind::Leak, CheckKind::Assertion].into_iter().collect();
        assert!(set.contains(CheckKind::Leak) && !set.contains(CheckKind::BadFree));
        assert!(set.remove(CheckKind::Leak) && !set.remove(CheckKind::Leak));
        assert_eq!(set.iter().collect::<Vec<_>>(), [CheckKind::Assertion]);
        assert!(CheckKinds::default().is_empty() && !set.union(CheckKinds::NONE).is_empty());
    }
}
