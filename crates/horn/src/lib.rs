//! Constrained Horn clauses over integers, booleans and arrays: reader, printer, solver, and checks of what is found.
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
mod cells;
mod derivation;
mod indices;
mod invariants;
pub mod print;
mod read;
pub mod recmc;
mod represented;
mod simplify;
mod solution;
mod system;

pub use answer::{Answer, Reason};
pub use candidates::{Candidates, Samples};
pub use derivation::{Derivation, Step};
pub use read::{Place, ReadError, read};
pub use solution::{Definition, Meaning, Solution, Universal};
pub use system::{Atom, Clause, ClauseId, Predicate, PredicateId, Read, System};

use base::Budget;
use cells::Cells;
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
    // Candidates speak of all arguments.
    let is_whole = |predicate: PredicateId| keep(predicate) || !candidates.is_empty();
    let mut simplified = simplify::simplify(terms, system, keep, &is_whole);
    simplify::drop_redundant(terms, &mut simplified.system, solvers, budget);
    let (answer, statistics) = if cells::has_arrays(terms, &simplified.system) {
        with_cells(terms, &simplified.system, candidates, solvers, budget)
    } else {
        recmc::search(terms, &simplified.system, candidates, solvers, budget)
    };
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

/// The effort for the search with arrays at first; from then on it is doubled.
const ARRAY_TICKS: u64 = 4_000;
/// The effort for cells at so many indices at first.
const CELL_TICKS: [(usize, u64); 2] = [(1, 16_000), (2, 8_000)];

/// The search on the system itself, in turns with the search on its cells.
fn with_cells(
    terms: &mut Terms,
    system: &System,
    candidates: &Candidates,
    solvers: &dyn SolverFactory,
    budget: &mut Budget,
) -> (Answer, recmc::Statistics) {
    let mut factor = 1;
    loop {
        let before = budget.spent();
        let mut share = budget.child(ARRAY_TICKS.saturating_mul(factor));
        let (answer, statistics) = recmc::search(terms, system, candidates, solvers, &mut share);
        budget.absorb(&share);
        if !matches!(answer, Answer::Unknown(_)) {
            return (answer, statistics);
        }
        for (count, ticks) in CELL_TICKS {
            let cells = Cells::new(terms, system, count);
            let mut share = budget.child(ticks.saturating_mul(factor));
            let (found, statistics) =
                recmc::search(terms, &cells.system, &Candidates::new(), solvers, &mut share);
            budget.absorb(&share);
            if let Answer::Sat(solution) = found {
                return (Answer::Sat(cells.solution(terms, &solution)), statistics);
            }
        }
        if budget.is_spent() || budget.spent() == before {
            return (answer, statistics);
        }
        factor = factor.saturating_mul(2);
    }
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
