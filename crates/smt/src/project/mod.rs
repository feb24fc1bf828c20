//! Projection: formulas without some of their symbols.
//!
//! * [`eliminate`] is exact: the result is equivalent to `∃ symbols. formula` over the integers.
//! * [`project_model`] is one part of it: a conjunction that a given model satisfies.
//! * [`project_arrays`] is the same for formulas with arrays.
//! * [`maximise`] projects on a single value, to find its bound.
//! * [`forget`] is cheap and implied by the formula, no more.
//!
//! # Paper
//! [Recmc14] §5 and appendix G
//! (`LIAProj`, after Cooper). Differences: coefficients other than one are not scaled away beforehand; a bound `t/a`
//! is substituted as a fraction with the residue that `t` has in the model, so that only divisors that matter show up.
//! Upper bounds are used where there are fewer of them, and the case "beyond all bounds" exists in both directions.

mod arrays;
mod beyond;
mod choose;
mod cube;
mod eliminate;
mod enumerate;
mod forget;
mod maximise;
mod names;

pub use arrays::project_arrays;
pub use cube::project_model;
pub use eliminate::eliminate;
pub use forget::forget;
pub use maximise::{Optimum, maximise, minimise};

use base::Stop;
use term::TermId;

use crate::Why;

/// Why a projection has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The budget ended.
    Stopped(Stop),
    /// The solver does not know.
    Unknown(Why),
    /// A symbol to be eliminated occurs in a term that is not linear, such as a product or an array access.
    NotLinear(TermId),
    /// The model given does not satisfy the formula.
    NotAModel,
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

impl From<Why> for Failure {
    fn from(why: Why) -> Self {
        match why {
            Why::Stopped(stop) => Self::Stopped(stop),
            Why::Effort | Why::Incomplete(_) | Why::Crashed(_) => Self::Unknown(why),
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stopped(stop) => write!(f, "{stop}"),
            Self::Unknown(why) => write!(f, "{why}"),
            Self::NotLinear(term) => write!(f, "a symbol to be eliminated is in {term}, which is not linear"),
            Self::NotAModel => f.write_str("the model does not satisfy the formula"),
        }
    }
}

impl std::error::Error for Failure {}
