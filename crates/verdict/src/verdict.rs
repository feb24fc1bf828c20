//! What an engine answers: no evidence, no verdict.

use std::fmt;
use std::sync::Arc;

use base::{Region, Stop};
use interp::{CallStack, Chosen, Property, UndefinedKind};

use crate::annotation::Annotation;

/// The answer to "can the error be reached?", with the evidence for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No execution reaches the error.
    Safe(Proof),
    /// This execution does.
    Unsafe(Trace),
    /// Neither is known.
    Unknown(Reason),
}

/// Evidence that no execution reaches the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The program has one execution, and this is how it ends.
    Execution(End),
    /// All executions that matter were carried out, this many.
    Executions(u64),
    /// Invariants of locations that are initial, inductive, and exclude the error.
    Annotation(Arc<Annotation>),
}

/// How an execution ends without reaching the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The entry function returns.
    Returned,
    /// The program calls `exit`.
    Exited {
        /// Its exit status.
        status: i128,
    },
    /// The program calls `abort`, or fails an assertion that is not part of the property.
    Aborted {
        /// Where.
        region: Region,
    },
    /// An assumption does not hold.
    Blocked {
        /// Which.
        region: Region,
    },
    /// The behaviour is undefined: the execution is not considered beyond.
    Undefined {
        /// In which way.
        kind: UndefinedKind,
        /// The operands, for people.
        detail: String,
        /// Where.
        region: Region,
    },
}

/// Evidence that the property is violated: what to feed to the program, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// What goes wrong.
    pub violation: Violation,
    /// The value of every nondeterministic choice.
    pub choices: Vec<Chosen>,
}

/// What goes wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which property is violated.
    pub property: Property,
    /// The place in the source.
    pub region: Region,
    /// The procedures that were active there.
    pub stack: CallStack,
}

/// Why nothing is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The budget ended the work.
    Stopped(Stop),
    /// Something that the engine, or the tool, cannot handle.
    Unsupported {
        /// What.
        feature: String,
        /// Where; may be nowhere.
        region: Region,
    },
    /// The solver gave no answer.
    SolverGaveUp {
        /// Its own words.
        why: String,
    },
    /// The engine found no more to do.
    NotProgressing,
    /// What was computed neither proves nor refutes.
    Inconclusive {
        /// What is too weak.
        what: String,
    },
    /// The engine broke one of its invariants.
    Crashed {
        /// What it said.
        message: String,
    },
    /// The evidence did not pass its check: a defect of the engine.
    NotCertified {
        /// What is wrong with it.
        why: String,
    },
    /// The program lacks behaviour of its source, so safe cannot be claimed.
    Underapproximated {
        /// What is missing.
        what: String,
        /// Where.
        region: Region,
    },
    /// The program has behaviour that its source has not, so unsafe cannot be claimed.
    Overapproximated {
        /// What is added.
        what: String,
        /// Where.
        region: Region,
    },
}

impl Reason {
    /// A stable one-word name for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Stopped(Stop::Ticks) => "effort-limit",
            Self::Stopped(Stop::Deadline) => "timeout",
            Self::Stopped(Stop::Memory) => "memory-limit",
            Self::Stopped(Stop::Cancelled) => "interrupted",
            Self::Unsupported { .. } => "unsupported",
            Self::SolverGaveUp { .. } => "solver-gave-up",
            Self::NotProgressing => "not-progressing",
            Self::Inconclusive { .. } => "inconclusive",
            Self::Crashed { .. } => "crashed",
            Self::NotCertified { .. } => "not-certified",
            Self::Underapproximated { .. } => "under-approximated",
            Self::Overapproximated { .. } => "over-approximated",
        }
    }
    /// The place that it is about.
    pub fn region(&self) -> Region {
        match self {
            Self::Unsupported { region, .. }
            | Self::Underapproximated { region, .. }
            | Self::Overapproximated { region, .. } => *region,
            Self::Stopped(_)
            | Self::SolverGaveUp { .. }
            | Self::NotProgressing
            | Self::Inconclusive { .. }
            | Self::Crashed { .. }
            | Self::NotCertified { .. } => Region::NOWHERE,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped(stop) => write!(f, "{stop}"),
            Self::Unsupported { feature, .. } => write!(f, "{feature}"),
            Self::SolverGaveUp { why } => write!(f, "the solver gave up: {why}"),
            Self::NotProgressing => f.write_str("the engine found nothing more to do"),
            Self::Inconclusive { what } => f.write_str(what),
            Self::Crashed { message } => write!(f, "the engine crashed: {message}"),
            Self::NotCertified { why } => write!(f, "the evidence did not pass its check: {why}"),
            Self::Underapproximated { what, .. } => write!(f, "part of the program is left out: {what}"),
            Self::Overapproximated { what, .. } => write!(f, "behaviour is added to the program: {what}"),
        }
    }
}
