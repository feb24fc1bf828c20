//! The check of bounded proofs: no way of at most so many iterations of each loop leads to the error, and no loop goes on beyond them.
//!
//! The check knows only the program, the logic and the number of iterations. It unwinds the prepared program itself ([`encode::unwind`]), in an arena of its own, and asks the solver one
//! question: whether some execution reaches the error, or is not followed to its end.
//!
//! # Obligations
//! * B1: no condition under which the error is reached, or under which an execution goes on where the unwinding was cut, has a model. By W1 of the unwinding that is all there is, so any
//!   number of iterations makes a sound check; one that is too small is rejected.
//!
//! # Invariants
//! * I1: nothing is assumed at the entry but that values have their types: facts of the analysis of values are derived on the way, from nothing.

use base::Budget;
use encode::unwind::unwind;
use encode::{LogicName, Vocabulary};
use passes::Prepared;
use smt::{Answer, Solver, Why, Z3, Z3Settings};
use term::Terms;
use verdict::{Bounded, Reason};

use crate::annotation::{Observer, is_about_reachability};

/// Checks that the program is safe and its executions bounded; returns how many conditions were refuted.
pub fn check_bounded(
    task: &Prepared<'_>,
    proof: Bounded,
    budget: &mut Budget,
    observer: &mut Observer<'_>,
) -> Result<u64, Reason> {
    is_about_reachability(task, |_| false)?;
    let (program, proc) = (task.program(), task.program().entry);
    let mut terms = Terms::new();
    let mut vocabulary = Vocabulary::in_logic(proof.logic, program, &[proc], &mut terms);
    let symbols = (&mut terms, &mut vocabulary);
    let unwound = unwind(program, proc, task.loops(proc), proof.iterations, symbols, budget)
        .map_err(Reason::Stopped)?;
    let obligations = unwound.errors.len() + unwound.cuts.len();
    let escapes = terms.or(unwound.errors.into_iter().chain(unwound.cuts));
    let typed = encode::typing(program, &mut terms, &vocabulary, escapes);
    let query = terms.and([typed, escapes]);
    let solvers = Z3::new(Z3Settings::default());
    let mut solver = match proof.logic {
        LogicName::Integers => solvers.z3_solver(),
        LogicName::Bits => solvers.bit_solver(&terms, query),
    };
    solver.assert(&terms, query);
    match solver.check(&terms, &[], budget) {
        Answer::Unsat(_) => {
            observer(escapes_text(proof), &terms, query);
            Ok(obligations as u64)
        }
        Answer::Sat(_) => Err(Reason::NotCertified { why: escapes_text(proof) }),
        Answer::Unknown(Why::Stopped(stop)) => Err(Reason::Stopped(stop)),
        Answer::Unknown(why) => Err(Reason::SolverGaveUp { why: why.to_string() }),
    }
}

fn escapes_text(proof: Bounded) -> String {
    format!("an execution reaches the error or goes on after {} iterations", proof.iterations)
}
