//! Conditions that every iteration establishes, whatever held before it: those that matter elsewhere, and disjunctions of two of them.
//!
//! # Invariants
//! * E1: a condition is returned only after the solver has shown that it holds at the end of every iteration.
//!
//! # Cost
//! At most two questions for each of [`MAX_PAIRED`] conditions, and two for each disjunction of two literals of these.

use base::Stop;
use term::{Node, TermId};

use super::StarDomain;
use super::stable::candidates;
use crate::star::loop_body::LoopBody;
use crate::star::partial::{PartialStar, StarFacts};

/// Disjunctions are made of so many conditions.
const MAX_PAIRED: usize = 6;
/// More disjunctions than this are not returned.
const MAX_CLAUSES: usize = 6;

/// The domain.
pub(super) struct Established;

impl StarDomain for Established {
    fn name(&self) -> &'static str {
        "established"
    }

    fn facts(&self, body: &mut LoopBody<'_>, star: &PartialStar) -> Result<StarFacts, Stop> {
        let candidates = candidates(body, star);
        let mut tested = body.definition.hints.clone();
        tested.retain(|hint| candidates.contains(hint));
        tested.dedup();
        let mut facts = Vec::new();
        for fact in established(body, &tested)? {
            let after = body.primed(fact);
            facts.push(star.lift(body, after));
        }
        Ok(StarFacts::after_some(facts))
    }
}

/// Literals over the state, or disjunctions of two, that hold after every iteration though not in every state: of the conditions and their
/// negations.
fn established(body: &mut LoopBody<'_>, conditions: &[TermId]) -> Result<Vec<TermId>, Stop> {
    let mut found = Vec::new();
    let mut pairs: Vec<[TermId; 2]> = Vec::new();
    for condition in conditions.iter().take(MAX_PAIRED) {
        let literals = [*condition, body.terms.not(*condition)];
        let mut is_open = true;
        for literal in literals {
            if holds_after(body, literal)? {
                // Hulls find those that are inequalities.
                if !matches!(body.terms.node(literal), Node::Le(_) | Node::Zero(_)) {
                    found.push(literal);
                }
                is_open = false;
            }
        }
        if is_open {
            pairs.push(literals);
        }
    }
    let mut clauses = 0;
    for (at, left) in pairs.iter().enumerate() {
        for right in &pairs[at + 1..] {
            for (a, b) in left.iter().flat_map(|a| right.iter().map(move |b| (*a, *b))) {
                let clause = body.terms.or([a, b]);
                if clauses < MAX_CLAUSES && holds_after(body, clause)? && !holds_everywhere(body, clause)? {
                    clauses += 1;
                    found.push(clause);
                }
            }
        }
    }
    Ok(found)
}

fn holds_after(body: &mut LoopBody<'_>, condition: TermId) -> Result<bool, Stop> {
    let afterwards = body.primed(condition);
    let lost = body.terms.not(afterwards);
    body.never(lost)
}

/// Whether a condition holds in all states that satisfy the facts of the head: then it says nothing about iterations.
fn holds_everywhere(body: &mut LoopBody<'_>, condition: TermId) -> Result<bool, Stop> {
    let negation = body.terms.not(condition);
    let state = body.terms.and([body.definition.facts, negation]);
    body.is_impossible(state)
}
