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
mod candidates;
mod derivation;
mod invariants;
pub mod print;
mod read;
pub mod recmc;
mod simplify;
mod solution;
mod system;

pub use answer::{Answer, Reason};
pub use candidates::{Candidates, Samples};
pub use derivation::{Derivation, Step};
pub use read::{Place, ReadError, read};
pub use solution::{Definition, Meaning, Solution};
pub use system::{Atom, Clause, ClauseId, Predicate, PredicateId, System};

use base::Budget;
use smt::SolverFactory;
use term::Terms;

/// Looks for a solution or a derivation of false. What is returned has been checked against `system`.
pub fn solve(terms: &mut Terms, system: &System, solvers: &dyn SolverFactory, budget: &mut Budget) -> Answer {
    solve_with_statistics(terms, system, solvers, budget).0
}

/// As [`solve`], and what the search did.
pub fn solve_with_statistics(
    terms: &mut Terms,
    system: &System,
    solvers: &dyn SolverFactory,
    budget: &mut Budget,
) -> (Answer, recmc::Statistics) {
    let (answer, statistics) = search(terms, system, &|_| false, &Candidates::new(), solvers, budget);
    (check(terms, system, solvers, budget, answer), statistics)
}

/// As [`solve_with_statistics`], but the answer has not been checked. A predicate that is kept has a formula in a solution.
/// Candidates of predicates that are not kept may be ignored; those that are inductive are part of a solution.
pub fn search(
    terms: &mut Terms,
    system: &System,
    keep: &dyn Fn(PredicateId) -> bool,
    candidates: &Candidates,
    solvers: &dyn SolverFactory,
    budget: &mut Budget,
) -> (Answer, recmc::Statistics) {
    let mut simplified = simplify::simplify(terms, system, keep);
    simplify::drop_redundant(terms, &mut simplified.system, solvers, budget);
    let (answer, statistics) = recmc::search(terms, &simplified.system, candidates, solvers, budget);
    let answer = match answer {
        Answer::Sat(solution) => Answer::Sat(simplified.solution(&solution)),
        Answer::Unsat(derivation) => match simplified.derivation(terms, &derivation) {
            Ok(derivation) => Answer::Unsat(derivation),
            Err(what) => Answer::Unknown(Reason::NotChecked(what)),
        },
        unknown @ Answer::Unknown(_) => unknown,
    };
    (answer, statistics)
}

/// The answer, unless its evidence fails its check.
fn check(
    terms: &mut Terms,
    system: &System,
    solvers: &dyn SolverFactory,
    budget: &mut Budget,
    answer: Answer,
) -> Answer {
    let checked = match &answer {
        Answer::Sat(solution) => solution.check(terms, system, &mut *solvers.solver(), budget),
        Answer::Unsat(derivation) => derivation.check(terms, system),
        Answer::Unknown(_) => Ok(()),
    };
    match checked {
        Ok(()) => answer,
        Err(what) => Answer::Unknown(Reason::NotChecked(what)),
    }
}
