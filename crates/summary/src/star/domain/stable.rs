//! Conditions that no iteration destroys: if one holds before the loop it holds after any number of iterations.
//!
//! Candidates are the conditions of the loop body itself and those that matter later (exit conditions, assertions): linear
//! inequalities and congruences that are inductive by themselves.
//!
//! Some conditions are preserved only together: `b += j - i` keeps `a = b` as long as `j = i + 1` is kept. Candidates for these are the conditions that hold at one
//! start of the loop, and the sums and differences of two variables there; what survives ([`crate::joint`]) is one fact: if all hold before, all hold after.
//!
//! # Invariants
//! * W1: conditions are returned only after the solver has shown that no iteration leads from a state that satisfies them to one that does not.
//!
//! # Cost
//! At most one question for each of [`MAX_CANDIDATES`] candidates, and again for each start where a variable has no closed form. Each model drops all candidates that
//! it refutes, so few are asked.

use base::Stop;
use term::{Integer, Substitution, SymbolId, TermId, Terms};

use super::StarDomain;
use crate::joint::{Candidate, survivors};
use crate::star::loop_body::LoopBody;
use crate::star::partial::{PartialStar, StarFacts};
use crate::star::predicates::predicates;
use crate::starts::Start;

/// More candidates than this are not tried.
const MAX_CANDIDATES: usize = 48;
/// Sums and differences of more variables than this are no candidates.
const MAX_RELATED: usize = 8;

/// The domain.
pub(super) struct Stable;

impl StarDomain for Stable {
    fn name(&self) -> &'static str {
        "stable"
    }

    fn facts(&self, body: &mut LoopBody<'_>, star: &PartialStar) -> Result<StarFacts, Stop> {
        let candidates = candidates(body, star);
        let mut facts = Vec::new();
        let alone = alone(body, &candidates)?;
        for fact in &alone {
            let after = body.primed(*fact);
            let after = star.lift(body, after);
            facts.push(body.terms.implies(*fact, after));
        }
        for start in body.definition.starts.clone() {
            let kept = together(body, star, &candidates, &start)?;
            let is_new = |fact: &&TermId| !alone.contains(*fact);
            let after: Vec<TermId> = kept.iter().filter(is_new).copied().collect();
            if !after.is_empty() {
                let (before, after) = (body.terms.and(kept), body.terms.and(after));
                let after = body.primed(after);
                let after = star.lift(body, after);
                facts.push(body.terms.implies(before, after));
            }
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

/// Those of the candidates, over variables only, that every iteration preserves, whatever else holds.
fn alone(body: &mut LoopBody<'_>, candidates: &[TermId]) -> Result<Vec<TermId>, Stop> {
    let mut tested = Vec::new();
    let mut changing = Vec::new();
    for candidate in candidates.iter().take(MAX_CANDIDATES) {
        let afterwards = body.primed(*candidate);
        if afterwards == *candidate {
            continue; // does not change at all
        }
        let lost = body.terms.not(afterwards);
        let broken = body.terms.and([*candidate, lost]);
        tested.push(Candidate { assumed: Terms::TRUE, broken });
        changing.push(*candidate);
    }
    let kept = survivors(body, &tested)?;
    Ok(kept.into_iter().map(|at| changing[at]).collect())
}

/// Conditions that hold at a start and that every iteration preserves together. None if all variables of the start have closed forms: these say more.
fn together(
    body: &mut LoopBody<'_>,
    star: &PartialStar,
    conditions: &[TermId],
    start: &Start,
) -> Result<Vec<TermId>, Stop> {
    let changed = body.changed();
    let numbers: Vec<(SymbolId, Integer)> = start
        .iter()
        .filter(|(symbol, _)| changed.binary_search(symbol).is_ok())
        .map(|(symbol, number)| (*symbol, number.clone()))
        .take(MAX_RELATED)
        .collect();
    if !numbers.iter().any(|(symbol, _)| star.is_open(body.terms, *symbol)) {
        return Ok(Vec::new());
    }
    let values: Vec<_> =
        start.iter().map(|(symbol, number)| (*symbol, body.terms.number(number.clone()))).collect();
    let mut at_start = Substitution::new(values);
    let mut chosen: Vec<TermId> = Vec::new();
    for (at, (x, c)) in numbers.iter().enumerate() {
        for (y, d) in &numbers[at + 1..] {
            let (x, y) = (body.terms.of_symbol(*x), body.terms.of_symbol(*y));
            for (sum, value) in [(body.terms.sub(x, y), c - d), (body.terms.add(x, y), c + d)] {
                let value = body.terms.number(value);
                chosen.push(body.terms.eq(sum, value));
            }
        }
    }
    let relations = chosen.len().min(MAX_CANDIDATES);
    let holding =
        conditions.iter().filter(|condition| at_start.apply(body.terms, **condition) == Terms::TRUE);
    chosen.extend(holding.copied());
    chosen.dedup();
    let mut candidates = Vec::new();
    for condition in chosen.iter().take(MAX_CANDIDATES) {
        let afterwards = body.primed(*condition);
        candidates.push(Candidate { assumed: *condition, broken: body.terms.not(afterwards) });
    }
    let kept = survivors(body, &candidates)?;
    // Conditions alone only repeat in other words what the phases of the loop say.
    if kept.first().is_none_or(|at| *at >= relations) {
        return Ok(Vec::new());
    }
    Ok(kept.into_iter().map(|at| chosen[at]).collect())
}
