//! How executions end.

use std::fmt;
use std::sync::Arc;

use base::{Region, SourceMap, Stop};

use super::oracle::Chosen;
use cfa::{CheckKind, CheckSite};

/// What an operation did that has no defined meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UndefinedKind {
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
    /// An access through the null pointer or an address near it.
    NullDereference,
    /// An access through an address that belongs to no object.
    WildPointer,
    /// An access to an object whose lifetime is over, or has not begun.
    Dangling,
    /// An access outside the object that a pointer points to.
    OutOfBounds,
    /// A write to a string literal or another object that is read-only.
    ReadOnly,
    /// Bytes that are copied to a place that overlaps their own.
    Overlap,
    /// A promise to the compiler that does not hold.
    Misuse,
    /// A heap object that is freed a second time.
    DoubleFree,
    /// `free` or `realloc` of what is not the start of a heap object.
    BadFree,
    /// The value of a variable or memory that was never given one.
    UninitialisedRead,
    /// A call through a pointer that points to no procedure that may be called there.
    BadFunctionPointer,
    /// A `_Bool` in memory that is neither 0 nor 1.
    InvalidBool,
    /// An output format that does not match its arguments.
    BadFormat,
    /// An access to memory that leads to no object, in a program in which memory became variables.
    BadAddress,
}

impl fmt::Display for UndefinedKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SignedOverflow => "signed overflow",
            Self::DivisionByZero => "division by zero",
            Self::ShiftAmount => "shift amount out of range",
            Self::FloatToInt => "float out of the integer's range",
            Self::ArrayBounds => "array index out of bounds",
            Self::ArrayLength => "negative array length",
            Self::NullDereference => "null pointer dereference",
            Self::WildPointer => "access to an address of no object",
            Self::Dangling => "access to an object outside its lifetime",
            Self::OutOfBounds => "access outside the object",
            Self::ReadOnly => "write to read-only memory",
            Self::Overlap => "copy to a place that overlaps its source",
            Self::Misuse => "misuse of a pointer, function or builtin",
            Self::DoubleFree => "double free",
            Self::BadFree => "free of what was not allocated",
            Self::UninitialisedRead => "read of an uninitialised value",
            Self::BadFunctionPointer => "call through a bad function pointer",
            Self::InvalidBool => "invalid truth value",
            Self::BadAddress => "access through a bad address",
            Self::BadFormat => "output format does not match its arguments",
        })
    }
}

impl UndefinedKind {
    /// The check that it violates where it is a violation.
    pub fn check(self) -> CheckKind {
        match self {
            Self::SignedOverflow => CheckKind::SignedOverflow,
            Self::DivisionByZero => CheckKind::DivisionByZero,
            Self::ShiftAmount => CheckKind::ShiftAmount,
            Self::FloatToInt => CheckKind::FloatToInt,
            Self::ArrayBounds => CheckKind::ArrayBounds,
            Self::ArrayLength => CheckKind::ArrayLength,
            Self::NullDereference => CheckKind::NullDereference,
            Self::WildPointer | Self::BadAddress => CheckKind::WildPointer,
            Self::Dangling => CheckKind::Dangling,
            Self::OutOfBounds => CheckKind::OutOfBounds,
            Self::ReadOnly => CheckKind::ReadOnly,
            Self::Overlap => CheckKind::Overlap,
            Self::Misuse => CheckKind::Misuse,
            Self::DoubleFree => CheckKind::DoubleFree,
            Self::BadFree => CheckKind::BadFree,
            Self::UninitialisedRead => CheckKind::Uninitialised,
            Self::BadFunctionPointer => CheckKind::BadFunctionPointer,
            Self::InvalidBool => CheckKind::InvalidBool,
            Self::BadFormat => CheckKind::BadFormat,
        }
    }
}

/// What an execution ran out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// The memory of the interpreted program, see [`super::Config::memory_limit`].
    Memory,
    /// One object is larger than the address space allows.
    ObjectSize,
    /// Nested calls, see [`super::Config::call_depth`].
    CallDepth,
    /// The text of one output call.
    OutputSize,
    /// Writing the output failed.
    Output,
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "the program uses more memory than the limit",
            Self::ObjectSize => "an object is larger than the address space",
            Self::CallDepth => "calls are nested more deeply than the limit",
            Self::OutputSize => "one output call writes too much",
            Self::Output => "the output cannot be written",
        })
    }
}

/// How an execution ended, or why it paused. Regions are those of the edge at which it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The procedure in which it started returned.
    Returned,
    /// `exit`.
    Exit {
        /// The status, as the program computed it.
        status: i128,
    },
    /// `abort`.
    Halted {
        /// Where.
        region: Region,
    },
    /// A violation.
    Error {
        /// Where.
        region: Region,
        /// Of what.
        kind: CheckKind,
        /// The operands, for people; nothing of an assertion.
        detail: String,
        /// Where exactly, if it is at an operation.
        site: Option<CheckSite>,
    },
    /// Undefined behaviour.
    Undefined {
        /// Which.
        kind: UndefinedKind,
        /// Where.
        region: Region,
        /// The operands, for people.
        detail: String,
    },
    /// No edge is enabled: an assumption does not hold.
    Blocked {
        /// Where.
        region: Region,
    },
    /// The oracle has no value for the next choice. The machine may be resumed with another oracle.
    OutOfInputs {
        /// Where the value is asked for.
        region: Region,
    },
    /// A limit of the interpreter.
    Resource {
        /// Which.
        what: Resource,
        /// Where.
        region: Region,
    },
    /// The program does what the interpreter cannot execute.
    Unsupported {
        /// What.
        what: String,
        /// Where.
        region: Region,
    },
    /// The budget ended. The machine may be resumed with another one.
    Stopped(Stop),
}

impl Outcome {
    /// Where it happened; nowhere if that has no meaning.
    pub fn region(&self) -> Region {
        match *self {
            Self::Returned | Self::Exit { .. } | Self::Stopped(_) => Region::NOWHERE,
            Self::Halted { region }
            | Self::Error { region, .. }
            | Self::Undefined { region, .. }
            | Self::Blocked { region }
            | Self::OutOfInputs { region }
            | Self::Resource { region, .. }
            | Self::Unsupported { region, .. } => region,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Returned => f.write_str("returned"),
            Self::Exit { status } => write!(f, "exited with status {status}"),
            Self::Halted { .. } => f.write_str("aborted"),
            Self::Error { kind: CheckKind::Assertion, .. } => f.write_str("error location reached"),
            Self::Error { kind, .. } => write!(f, "{kind}"),
            Self::Undefined { kind, detail, .. } => write!(f, "undefined behaviour: {kind}: {detail}"),
            Self::Blocked { .. } => f.write_str("blocked by an assumption"),
            Self::OutOfInputs { .. } => f.write_str("more input values are needed"),
            Self::Resource { what, .. } => write!(f, "{what}"),
            Self::Unsupported { what, .. } => write!(f, "unsupported: {what}"),
            Self::Stopped(stop) => write!(f, "{stop}"),
        }
    }
}

/// One active call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackEntry {
    /// The procedure that is active.
    pub procedure: Arc<str>,
    /// Where it was called; nowhere for the first.
    pub called_at: Region,
}

/// The active calls at the end of a run, innermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallStack {
    /// The innermost calls.
    pub entries: Vec<StackEntry>,
    /// How many more there were outside of these; at least so many if some were replaced by calls at their ends ([`super::LastCalls`]).
    pub omitted: usize,
}

impl CallStack {
    /// A place as the user sees it: one in a model of a library function is that of the innermost call in the user's text.
    pub fn users_place(&self, region: Region, sources: &SourceMap) -> Region {
        if region.is_nowhere() || sources.is_users(region) {
            return region;
        }
        let mut calls = self.entries.iter().map(|entry| entry.called_at);
        calls.find(|place| sources.is_users(*place)).unwrap_or(region)
    }
}

/// What a run yields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// The active calls at that point.
    pub stack: CallStack,
    /// Every arbitrary value in the order in which it was chosen; replaying them repeats the run.
    pub choices: Vec<Chosen>,
}

/// Why an instruction did not complete.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    Undefined {
        kind: UndefinedKind,
        detail: String,
    },
    /// A violation that is no undefined behaviour.
    Violation {
        kind: CheckKind,
        detail: String,
    },
    Resource(Resource),
    OutOfInputs(Region),
    Unsupported(String),
    Exit(i128),
    Abort,
}

impl Fault {
    pub(crate) fn undefined(kind: UndefinedKind, detail: impl Into<String>) -> Self {
        Self::Undefined { kind, detail: detail.into() }
    }
}
