//! What everything that reasons with formulas needs together.

use base::Budget;
use term::Terms;

use crate::{Z3, Z3Settings};

/// An arena of formulas, a source of solvers, and how much may be done with them.
pub struct Logic {
    /// The arena of all formulas.
    pub terms: Terms,
    /// Makes all solvers.
    pub solvers: Z3,
    /// How much may be done.
    pub budget: Budget,
}

impl Logic {
    /// An empty arena, and solvers with the standard settings.
    pub fn new(budget: Budget) -> Self {
        Self { terms: Terms::new(), solvers: Z3::new(Z3Settings::default()), budget }
    }
}
