//! Loops that end after a few iterations: their closure is the union of the first powers of the body, exactly.
//!
//! # Invariants
//! * V1: a star is returned only if the solver has shown that more than [`MOST_ITERATIONS`] iterations are impossible, and the body makes no choice: so
//!   the powers are functions, and one iteration more in front is the next power.

use std::collections::BTreeMap;

use base::Stop;
use term::{Sort, SymbolId, SymbolKind, TermId, Terms};

use super::query::Query;
use super::{Body, Star};
use graph::transition::TransitionFormula;

/// Loops with more iterations are not unrolled.
const MOST_ITERATIONS: i64 = 8;
/// Bodies with more terms are not unrolled.
const MOST_TERMS: usize = 120;

/// What closed forms say about the number of iterations.
pub(super) struct Bounds {
    pub(super) count: TermId,
    /// What holds for any number.
    pub(super) always: TermId,
    /// What holds for at least one.
    pub(super) many: Vec<TermId>,
}

/// The closure of a body that is executed at most [`MOST_ITERATIONS`] times in a row.
pub(super) fn unroll(query: &mut Query<'_>, body: &Body, bounds: &Bounds) -> Result<Option<Star>, Stop> {
    let mut roots: Vec<TermId> = body.formula.map.values().copied().collect();
    roots.push(body.formula.guard);
    let chooses = |symbol: &SymbolId| query.terms.symbol(*symbol).kind != SymbolKind::Variable;
    if query.terms.symbols_of_all(&roots).iter().any(chooses)
        || query.terms.reachable(&roots).len() > MOST_TERMS
    {
        return Ok(None);
    }
    let most = query.terms.int(MOST_ITERATIONS);
    let too_many = query.terms.gt(bounds.count, most);
    let conjuncts = bounds.many.iter().copied().chain([bounds.always, body.facts, too_many]);
    let question = query.terms.and(conjuncts);
    if !query.is_impossible(question)? {
        return Ok(None);
    }
    let mut powers = vec![TransitionFormula::identity()];
    for _ in 0..MOST_ITERATIONS {
        let last = &powers[powers.len() - 1];
        let next = body.formula.then(query.terms, last);
        let possible = query.terms.and([body.facts, next.guard]);
        if query.is_impossible(possible)? {
            break;
        }
        powers.push(next);
    }
    Ok(Some(union(query.terms, &body.formula, &powers)))
}

/// The union of powers, told apart by their number.
fn union(terms: &mut Terms, body: &TransitionFormula, powers: &[TransitionFormula]) -> Star {
    let counter = terms.fresh("k", Sort::Int, SymbolKind::Counter);
    let count = terms.of_symbol(counter);
    let mut guards = Vec::new();
    let mut map: BTreeMap<SymbolId, TermId> = BTreeMap::new();
    for (iterations, power) in powers.iter().enumerate() {
        let number = terms.int(iterations as i64);
        let is_number = terms.eq(count, number);
        guards.push(terms.and([is_number, power.guard]));
        for symbol in body.map.keys() {
            let value = power.value(terms, *symbol);
            let other = map.get(symbol).copied().unwrap_or(value);
            map.insert(*symbol, terms.ite(is_number, value, other));
        }
    }
    let guard = terms.or(guards);
    let (zero, one) = (terms.int(0), terms.int(1));
    let next = terms.add(count, one);
    Star {
        formula: TransitionFormula { guard, map },
        count,
        none: vec![(counter, zero)],
        more: vec![vec![(counter, next)]],
        exact: true,
    }
}
