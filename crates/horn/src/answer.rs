//! What can be said about a system.

use base::Stop;
use smt::Why;

use crate::{Derivation, Solution};

/// The answer to the question whether a system has a solution.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It has: here is one, checked.
    Sat(Solution),
    /// It has none: here is a derivation of false, checked.
    Unsat(Derivation),
    /// It is not known.
    Unknown(Reason),
}

/// Why no answer is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The budget ended.
    Stopped(Stop),
    /// The solver does not answer a question that matters.
    Solver(Why),
    /// A product, quotient or array that the projection cannot eliminate.
    NotLinear,
    /// A solution or derivation was found that its check does not accept: a defect.
    NotChecked(String),
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stopped(stop) => write!(f, "{stop}"),
            Self::Solver(why) => write!(f, "{why}"),
            Self::NotLinear => f.write_str("a clause is not linear arithmetic"),
            Self::NotChecked(what) => write!(f, "the evidence failed its check: {what}"),
        }
    }
}

impl From<Stop> for Reason {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

impl From<Why> for Reason {
    fn from(why: Why) -> Self {
        match why {
            Why::Stopped(stop) => Self::Stopped(stop),
            Why::Effort | Why::Incomplete(_) | Why::Crashed(_) => Self::Solver(why),
        }
    }
}

impl From<smt::project::Failure> for Reason {
    fn from(failure: smt::project::Failure) -> Self {
        use smt::project::Failure;
        match failure {
            Failure::Stopped(stop) => Self::Stopped(stop),
            Failure::Unknown(why) => why.into(),
            Failure::NotLinear(_) => Self::NotLinear,
            Failure::NotAModel => Self::NotChecked("a model that is none".to_owned()),
        }
    }
}
