//! Phases: a predicate that changes its truth at most once splits a loop in two.
//!
//! # Paper
//! [Gps25]'s summary engine splits on monotone predicates: if the body preserves p, all iterations without p come before all with p, so
//! `F* = (F ∧ ¬p)* ∘ (F ∧ p)*`, exactly. Unlike there, the halves are split again, under a budget.
//!
//! # Invariants
//! * P1: a split is returned only if the solver has shown that one side is preserved; so the composition of the closures is the closure.
//!
//! # Cost
//! At most four questions for each of [`MAX_CANDIDATES`] predicates, plus the stars of the phases.

use base::Stop;
use term::{Node, TermId, Terms};

use super::{Decomposition, Split};
use crate::star::loop_body::{LoopBody, Reply};
use crate::star::partial::PartialStar;
use crate::star::predicates::{predicates, sides};
use crate::star::{Body, Recurrences};
use encode::Transition;

/// More predicates than this are not tried.
const MAX_CANDIDATES: usize = 24;
/// Phases of bodies up to this difficulty may be as difficult as the whole.
const MAX_DIFFICULTY: usize = 16;

/// The decomposition.
pub(super) struct Phases;

impl Decomposition for Phases {
    fn name(&self) -> &'static str {
        "phases"
    }

    fn depth_of_parts(&self, depth: u32) -> Option<u32> {
        depth.checked_sub(1)
    }

    fn split(&self, body: &mut LoopBody<'_>, _star: &PartialStar) -> Result<Option<Split>, Stop> {
        let phases = phases(body)?;
        body.statistics.phase_splits += u64::from(phases.is_some());
        Ok(phases.map(Split::Sequence))
    }
}

/// The two phases, in order, by the predicate of the body for which they are simplest.
fn phases(body: &mut LoopBody<'_>) -> Result<Option<[Body; 2]>, Stop> {
    let definition = body.definition.clone();
    let mut best: Option<(usize, [Body; 2])> = None;
    // With many variables without closed form a split must bring some.
    let whole = difficulty(body.terms, &definition);
    let limit = if whole > MAX_DIFFICULTY { whole + whole / 2 } else { usize::MAX };
    for predicate in predicates(body.terms, &definition.formula).into_iter().take(MAX_CANDIDATES) {
        let negation = body.terms.not(predicate);
        let both_occur =
            matches!(body.ask(predicate)?, Reply::Yes(_)) && matches!(body.ask(negation)?, Reply::Yes(_));
        if !both_occur {
            continue;
        }
        let order = if preserved(body, predicate, negation)? {
            [negation, predicate]
        } else if preserved(body, negation, predicate)? {
            [predicate, negation]
        } else {
            continue;
        };
        let phases = order.map(|assumed| restrict(body.terms, &definition, assumed));
        let difficulty: usize = phases.iter().map(|phase| difficulty(body.terms, phase)).sum();
        if difficulty < limit && best.as_ref().is_none_or(|(least, _)| difficulty < *least) {
            best = Some((difficulty, phases));
        }
        if difficulty == 0 {
            break;
        }
    }
    Ok(best.map(|(_, phases)| phases))
}

fn preserved(body: &mut LoopBody<'_>, predicate: TermId, negation: TermId) -> Result<bool, Stop> {
    let lost = body.primed(negation);
    let broken = body.terms.and([predicate, lost]);
    body.never(broken)
}

/// The number of variables without closed form, and whether the guard is more than a conjunction.
fn difficulty(terms: &mut Terms, body: &Body) -> usize {
    let unknown = Recurrences::of(terms, &body.formula, body.facts).unknown.len();
    let choices = terms
        .conjuncts(body.formula.guard)
        .iter()
        .filter(|part| matches!(terms.node(**part), Node::Or(_)))
        .count();
    2 * unknown + choices
}

/// The body with a predicate assumed at the start of the iteration.
fn restrict(terms: &mut Terms, body: &Body, predicate: TermId) -> Body {
    let negation = terms.not(predicate);
    let mut simplify = |term: TermId| {
        terms.rewrite(term, |terms, part| {
            if part == predicate {
                Terms::TRUE
            } else if part == negation || excludes(terms, predicate, part) {
                Terms::FALSE
            } else {
                part
            }
        })
    };
    let guard = simplify(body.formula.guard);
    let update = body.formula.update.iter().map(|(symbol, value)| (*symbol, simplify(*value))).collect();
    let guard = terms.and([predicate, guard]);
    Body { formula: Transition { guard, update }, ..body.clone() }
}

/// Whether a predicate says that an equation does not hold because its sum is on one side of zero.
fn excludes(terms: &mut Terms, predicate: TermId, equation: TermId) -> bool {
    let Node::Zero(sum) = *terms.node(equation) else { return false };
    sides(terms, sum).contains(&predicate)
}
