//! The interface of solvers.

use base::Budget;
use term::{TermId, Terms};

use crate::{Answer, Core, Statistics};

/// A stack of assertions that can be asked whether it has a model.
///
/// A solver serves one arena of terms: each call should be given the same one.
pub trait Solver {
    /// Asserts a formula at the current level.
    fn assert(&mut self, terms: &Terms, formula: TermId);
    /// Opens a level.
    fn push(&mut self);
    /// Closes the last level and forgets its assertions. Without an open level it does nothing.
    fn pop(&mut self);
    /// Asks whether the assertions and the assumptions, which are any boolean terms, have a common model. The search
    /// ends with the budget, which is charged for its effort.
    fn check(&mut self, terms: &Terms, assumptions: &[TermId], budget: &mut Budget) -> Answer;
    /// What was asked of this solver so far.
    fn statistics(&self) -> Statistics;
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn assert(&mut self, terms: &Terms, formula: TermId) {
        (**self).assert(terms, formula);
    }
    fn push(&mut self) {
        (**self).push();
    }
    fn pop(&mut self) {
        (**self).pop();
    }
    fn check(&mut self, terms: &Terms, assumptions: &[TermId], budget: &mut Budget) -> Answer {
        (**self).check(terms, assumptions, budget)
    }
    fn statistics(&self) -> Statistics {
        (**self).statistics()
    }
}

/// Makes solvers for one arena of terms, on one thread.
pub trait SolverFactory {
    /// A solver without assertions.
    fn solver(&self) -> Box<dyn Solver>;
}

/// Whether a formula has a model, asked on a level of its own.
pub fn check_formula(solver: &mut dyn Solver, terms: &Terms, formula: TermId, budget: &mut Budget) -> Answer {
    solver.push();
    solver.assert(terms, formula);
    let answer = solver.check(terms, &[], budget);
    solver.pop();
    answer
}

/// Shrinks a core by leaving out one assumption after the other, the last ones first; what remains is needed, as far
/// as the solver could tell within the budget. The assertions should be those under which the core was found.
pub fn minimise(solver: &mut dyn Solver, terms: &Terms, core: &Core, budget: &mut Budget) -> Core {
    let Core(mut needed) = core.clone();
    let mut index = needed.len();
    while index > 0 {
        index -= 1;
        let mut fewer = needed.clone();
        fewer.remove(index);
        match solver.check(terms, &fewer, budget) {
            Answer::Unsat(Core(smaller)) => {
                // Those not yet tried are among the first `index`; some may be tried twice, none is missed.
                needed = smaller;
                index = index.min(needed.len());
            }
            Answer::Sat(_) | Answer::Unknown(_) => {}
        }
    }
    Core(needed)
}
