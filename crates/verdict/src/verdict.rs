//! What an engine answers. A verdict cannot be constructed without evidence.

use std::sync::Arc;

use base::Region;
use cfa::{CheckKind, CheckSite};
use encode::LogicName;
use interp::{CallStack, Chosen, Outcome, Run, UndefinedKind};

use crate::annotation::Annotation;
use crate::reason::Reason;

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
    /// The same of the program in which recursions are loops.
    UnwoundExecutions(u64),
    /// Invariants of locations that are initial, inductive, and exclude the error.
    Annotation(Arc<Annotation>),
    /// All ways are bounded, and none leads to the error.
    Bounded(Bounded),
}

/// How far the loops of a program are to be unwound so that nothing is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounded {
    /// How machine values are modelled.
    pub logic: LogicName,
    /// The most iterations of a loop each time that it is entered, but for those that numbers alone decide.
    pub iterations: u32,
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

/// Evidence that the property is violated: the values of all nondeterministic choices, in order.
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
    /// Which kind of check fails.
    pub kind: CheckKind,
    /// The place in the source.
    pub region: Region,
    /// The operands, for people; nothing of an assertion.
    pub detail: String,
    /// The operation of the program, and the expression in it.
    pub site: Option<CheckSite>,
    /// The procedures that were active there.
    pub stack: CallStack,
}

impl Trace {
    /// The trace of a run of the program as given; nothing if it violates nothing.
    pub fn of(run: Run) -> Option<Self> {
        let Outcome::Error { region, kind, detail, site } = run.outcome else { return None };
        let violation = Violation { kind, region, detail, site, stack: run.stack };
        Some(Self { violation, choices: run.choices })
    }
}

impl Violation {
    /// Whether two violations are of the same check: the same kind at the same place.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.kind, self.region, self.site) == (other.kind, other.region, other.site)
    }
}
