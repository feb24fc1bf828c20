//! Conditions that no iteration destroys: if one holds before the loop it holds after any number of iterations.
//!
//! Candidates are the conditions of the loop body itself and those that matter later (exit conditions, assertions): linear
//! inequalities and congruences that are inductive by themselves.
//!
//! # Invariants
//! * W1: a condition is returned only after the solver has shown that no iteration leads from a state that satisfies it to one that does not.
//!
//! # Cost
//! One question for each of at most [`MAX_CANDIDATES`] candidates.

use base::Stop;
use term::TermId;

use super::StarDomain;
use crate::star::loop_body::LoopBody;
use crate::star::partial::{PartialStar, StarFacts};
use crate::star::predicates::predicates;

/// More candidates than this are not tried.
const MAX_CANDIDATES: usize = 48;

/// The domain.
pub(super) struct Stable;

impl StarDomain for Stable {
    fn name(&self) -> &'static str {
        "stable"
    }

    fn facts(&self, body: &mut LoopBody<'_>, star: &PartialStar) -> Result<StarFacts, Stop> {
        let candidates = candidates(body, star);
        let mut facts = Vec::new();
        for fact in stable(body, &candidates)? {
            let after = body.primed(fact);
            let after = star.lift(body, after);
            facts.push(body.terms.implies(fact, after));
        }
        Ok(StarFacts::after_some(facts))
    }
}

/// Conditions of the loop body and those that matter elsewhere, with their negations: over variables, at least one of which an iteration changes.
pub(super) fn candidates(body: &mut LoopBody<'_>, star: &PartialStar) -> Vec<TermId> {
    let mut candidates = predicates(body.terms, &body.definition.formula);
    candidates.extend(body.definition.hints.iter().copied());
    let negations: Vec<TermId> = candidates.iter().map(|candidate| body.terms.not(*candidate)).collect();
    candidates.extend(negations);
    candidates.sort_unstable();
    candidates.dedup();
    candidates.retain(|candidate| {
        let symbols = body.terms.symbols_of(*candidate);
        symbols.iter().any(|symbol| body.after.contains_key(symbol))
            && symbols
                .iter()
                .all(|symbol| body.after.contains_key(symbol) || !star.update.contains_key(symbol))
    });
    candidates
}

/// Those of the candidates, over variables only, that every iteration preserves.
fn stable(body: &mut LoopBody<'_>, candidates: &[TermId]) -> Result<Vec<TermId>, Stop> {
    let mut found = Vec::new();
    for candidate in candidates.iter().take(MAX_CANDIDATES) {
        let afterwards = body.primed(*candidate);
        if afterwards == *candidate {
            continue; // does not change at all
        }
        let lost = body.terms.not(afterwards);
        let broken = body.terms.and([*candidate, lost]);
        if body.never(broken)? {
            found.push(*candidate);
        }
    }
    Ok(found)
}
