//! Generation of path invariants.
//!
//! # Paper
//! [PathInvariants06] §4.2. Two ways, the cheaper one first: the summaries of loops (`summaries`), and templates whose parameters are found by constraint solving (`templates`).
//!
//! # Invariants
//! * I0 to I2 of the paper (§3): a path invariant is true at the entry, every arc preserves it, and it is false at the error. That is asked for every result ([`is_path_invariant`]).
//!
//! # Cost
//! At most [`SUMMARIES`] and [`TEMPLATES`] ticks for a path program.

mod arrays;
mod constraints;
mod farkas;
mod summaries;
pub(super) mod templates;

use base::{IndexVec, Stop};
use cfa::Program;
use graph::cut::{ENTRY, PointId};
use paths::{Space, gave_up};
use smt::{Answer, Logic, Solver, Why};
use summary::StarOptions;
use term::{TermId, Terms};
use verdict::Reason;

use super::path_program::PathProgram;

/// Ticks for the summaries of a path program.
const SUMMARIES: u64 = 1_500;
/// Ticks for the templates of a path program.
const TEMPLATES: u64 = 12_000;

/// For each point of a path program conjuncts that hold there.
pub(super) type Invariant = IndexVec<PointId, Vec<TermId>>;

/// Where an invariant is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// From summaries of loops.
    Summaries,
    /// From templates.
    Templates,
}

/// Finds path invariants.
pub(super) struct Synthesis<'a> {
    /// The prepared program.
    pub(super) program: &'a Program,
    /// How loops are summarised; nothing if templates are all there is.
    pub(super) summaries: Option<StarOptions>,
}

impl Synthesis<'_> {
    /// An invariant of a path program that excludes the error, if one is found.
    pub(super) fn path_invariant(
        &self,
        path: &PathProgram,
        logic: &mut Logic,
    ) -> Result<Option<(Invariant, Source)>, Reason> {
        if let Some(star) = self.summaries {
            let found = within(SUMMARIES, logic, |logic| summaries::invariant(path, star, logic))?;
            if let Some(invariant) = self.checked(path, found, logic)? {
                return Ok(Some((invariant, Source::Summaries)));
            }
        }
        let is_invariant = |invariant: &Invariant, logic: &mut Logic| {
            is_path_invariant(self.program, path, invariant, logic)
        };
        let found = within(TEMPLATES, logic, |logic| templates::invariant(path, logic, is_invariant))?;
        Ok(found.map(|invariant| (invariant, Source::Templates)))
    }

    fn checked(
        &self,
        path: &PathProgram,
        found: Option<Invariant>,
        logic: &mut Logic,
    ) -> Result<Option<Invariant>, Reason> {
        let Some(invariant) = found else { return Ok(None) };
        Ok(is_path_invariant(self.program, path, &invariant, logic)?.then_some(invariant))
    }
}

/// Gives a computation its allowance; nothing if that is too little.
fn within<T>(
    ticks: u64,
    logic: &mut Logic,
    compute: impl FnOnce(&mut Logic) -> Result<Option<T>, Reason>,
) -> Result<Option<T>, Reason> {
    let child = logic.budget.child(ticks);
    let mut budget = std::mem::replace(&mut logic.budget, child);
    let result = compute(logic);
    std::mem::swap(&mut logic.budget, &mut budget);
    logic.budget.absorb(&budget);
    match result {
        Err(Reason::Stopped(Stop::Ticks)) => {
            logic.budget.poll().map_err(Reason::Stopped)?;
            Ok(None)
        }
        other => other,
    }
}

/// Whether the conjuncts are inductive along all arcs of a path program and exclude the error (I0, I1, I2 of the paper).
pub(super) fn is_path_invariant(
    program: &Program,
    path: &PathProgram,
    invariant: &Invariant,
    logic: &mut Logic,
) -> Result<bool, Reason> {
    let space = Space { program, graph: &path.graph };
    let mut solver = logic.solvers.z3_solver();
    for arc in &path.graph.arcs {
        let terms = &mut logic.terms;
        let before = if arc.source == ENTRY { Vec::new() } else { invariant[arc.source].clone() };
        let after = if Some(arc.target) == path.graph.target {
            Terms::FALSE
        } else {
            terms.and(invariant[arc.target].iter().copied())
        };
        let broken = terms.not(after);
        let broken = arc.formula.before(terms, broken);
        let query = terms.and(before.into_iter().chain([broken]));
        let background = space.background(terms, arc.source, query);
        let query = terms.and([background, query]);
        solver.push();
        solver.assert(&logic.terms, query);
        let answer = solver.check(&logic.terms, &[], &mut logic.budget);
        solver.pop();
        match answer {
            Answer::Unsat(_) => {}
            Answer::Unknown(why @ Why::Stopped(_)) => return Err(gave_up(why)),
            Answer::Sat(_) | Answer::Unknown(_) => return Ok(false),
        }
    }
    Ok(true)
}
