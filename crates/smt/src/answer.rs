//! What a solver answers.

use std::fmt;

use base::Stop;
use term::{Model, TermId};

/// The answer to the question whether assertions and assumptions have a common model.
#[derive(Clone, Debug)]
pub enum Answer {
    /// They have: here it is.
    Sat(Model),
    /// They have none.
    Unsat(Core),
    /// The solver does not know.
    Unknown(Why),
}

/// Assumptions that, with the assertions, have no model; in the order in which they were given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core(pub Vec<TermId>);

/// Why a solver does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The budget ended the search.
    Stopped(Stop),
    /// The query took more than one query may.
    Effort,
    /// The solver gave up, for the reason that it states.
    Incomplete(String),
    /// The solver failed inside, most often for want of memory. It answers nothing from now on.
    Crashed(String),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped(stop) => write!(f, "{stop}"),
            Self::Effort => f.write_str("effort limit of one query reached"),
            Self::Incomplete(reason) => write!(f, "the solver gave up: {reason}"),
            Self::Crashed(reason) => write!(f, "the solver failed: {reason}"),
        }
    }
}

impl Answer {
    /// Whether there is a model.
    pub fn is_sat(&self) -> bool {
        matches!(self, Self::Sat(_))
    }
    /// Whether there is no model.
    pub fn is_unsat(&self) -> bool {
        matches!(self, Self::Unsat(_))
    }
    /// The word for it in SMT-LIB.
    pub(crate) fn status(&self) -> &'static str {
        match self {
            Self::Sat(_) => "sat",
            Self::Unsat(_) => "unsat",
            Self::Unknown(_) => "unknown",
        }
    }
}

/// How much a solver was asked, and with what success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Questions asked.
    pub queries: u64,
    /// Answered with a model.
    pub sat: u64,
    /// Answered that there is none.
    pub unsat: u64,
    /// Not answered.
    pub unknown: u64,
    /// The solver's own deterministic measure of effort, in its units.
    pub effort: u64,
}

impl Statistics {
    pub(crate) fn count(&mut self, answer: &Answer) {
        self.queries += 1;
        match answer {
            Answer::Sat(_) => self.sat += 1,
            Answer::Unsat(_) => self.unsat += 1,
            Answer::Unknown(_) => self.unknown += 1,
        }
    }
}

impl std::ops::AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.queries += other.queries;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.effort += other.effort;
    }
}
