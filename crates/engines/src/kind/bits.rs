//! K-induction in bit-vectors: proofs of programs whose loops have no bound, with exact bits and floating-point numbers.
//!
//! The induction step is that of the engine over integers, with a new question for each k: the solver's tactics for bit-vectors are made for one question. The base case is one question when a step
//! has succeeded: errors are found by unwinding ([`crate::in_bits`]), which is cheaper.
//!
//! # Invariants
//! * S1: nothing here is trusted: the annotation is proved again, in bit-vectors, by the checker.

use std::collections::BTreeMap;

use base::timeline;
use engine::{Counter, Engine, Env};
use graph::cut::ENTRY;
use passes::Prepared;
use paths::{Space, gave_up};
use smt::{Answer, Logic, Solver};
use term::{TermId, Terms};
use verdict::{Reason, Verdict};

use super::evidence::Bad;
use super::unroll::Unrolling;
use crate::float_sums::is_refuted_without_sums;
use crate::guide::Guide;
use crate::joint_facts::facts_in_bits;
use crate::problem::Problem;

/// The most arcs of a path of the induction step.
const MOST_ARCS: usize = 12;

/// The engine.
pub(crate) struct KindInBits;

impl Engine for KindInBits {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        solve(task, env).unwrap_or_else(Verdict::Unknown)
    }
}

fn solve(task: &Prepared<'_>, env: &mut Env<'_>) -> Result<Verdict, Reason> {
    let problem = Problem::in_bits(task, &mut env.logic)?;
    let space = Space { program: task.program(), graph: &problem.graph };
    let facts = facts_in_bits(space, &mut env.logic)?;
    let unrolling = Unrolling::new(space, &facts);
    let _stage = timeline::stage("search");
    let k = least(&unrolling, env)?;
    let bad = Bad::new(&unrolling, k, &mut env.logic.terms);
    let entered = bad.ahead(ENTRY).pruning().formula;
    let background = space.background(&mut env.logic.terms, ENTRY, entered);
    if !is_refuted(&[background, entered], &mut env.logic)? {
        return Err(Reason::NotProgressing);
    }
    Ok(Verdict::Safe(problem.annotation(&bad, &BTreeMap::new(), &mut env.logic)))
}

/// The least k such that no path of k + 1 arcs leads to the error.
fn least(unrolling: &Unrolling<'_>, env: &mut Env<'_>) -> Result<usize, Reason> {
    let Some(error) = unrolling.space.graph.target else { return Ok(1) };
    let mut first = unrolling.position(&mut env.logic.terms);
    let mut path = vec![first.is_at(&mut env.logic.terms, error)];
    for arcs in 1..=MOST_ARCS {
        env.logic.budget.tick().map_err(Reason::Stopped)?;
        let before = unrolling.position(&mut env.logic.terms);
        path.push(unrolling.step(&mut env.logic.terms, &before, &first));
        first = before;
        if arcs == 1 {
            continue;
        }
        env.events.total(Counter::Depth, arcs as u64 - 1);
        if is_refuted(&path, &mut env.logic)? {
            return Ok(arcs - 1);
        }
    }
    Err(Reason::NotProgressing)
}

/// Whether some conditions have no model together.
fn is_refuted(conditions: &[TermId], logic: &mut Logic) -> Result<bool, Reason> {
    let query = logic.terms.and(conditions.iter().copied());
    if query == Terms::FALSE || is_refuted_without_sums(query, logic) {
        return Ok(true);
    }
    let mut solver = logic.solvers.bit_solver(&logic.terms, query);
    solver.assert(&logic.terms, query);
    match solver.check(&logic.terms, &[], &mut logic.budget) {
        Answer::Unsat(_) => Ok(true),
        Answer::Sat(_) => Ok(false),
        Answer::Unknown(why) => Err(gave_up(why)),
    }
}
