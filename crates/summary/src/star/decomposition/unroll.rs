//! Loops that end after a few iterations: their closure is the union of the first powers of the body, exactly.
//!
//! # Invariants
//! * V1: a star is returned only if the solver has shown that more than [`MAX_ITERATIONS`] iterations are impossible, and the body makes no choice: so
//!   the powers are functions, and one iteration more in front is the next power.
//!
//! # Cost
//! One question about the number of iterations; if it is answered, at most [`MAX_ITERATIONS`] powers of a body of at most [`MAX_TERMS`] terms, with
//! a question each.

use std::collections::BTreeMap;

use base::Stop;
use term::{Sort, SymbolId, SymbolKind, TermId, Terms};

use super::{Decomposition, Split};
use crate::star::Star;
use crate::star::loop_body::LoopBody;
use crate::star::partial::PartialStar;
use encode::Transition;

/// Loops with more iterations are not unrolled.
const MAX_ITERATIONS: i64 = 8;
/// Bodies with more terms are not unrolled.
const MAX_TERMS: usize = 120;

/// The decomposition; it leaves no parts.
pub(super) struct Unroll;

impl Decomposition for Unroll {
    fn name(&self) -> &'static str {
        "unrolling"
    }

    fn depth_of_parts(&self, depth: u32) -> Option<u32> {
        Some(depth)
    }

    fn split(&self, body: &mut LoopBody<'_>, star: &PartialStar) -> Result<Option<Split>, Stop> {
        Ok(unroll(body, star)?.map(Split::Known))
    }
}

/// The closure of a body that is executed at most [`MAX_ITERATIONS`] times in a row. The partial star bounds their number.
fn unroll(body: &mut LoopBody<'_>, star: &PartialStar) -> Result<Option<Star>, Stop> {
    let (formula, facts) = (body.definition.formula.clone(), body.definition.facts);
    let mut roots: Vec<TermId> = formula.update.values().copied().collect();
    roots.push(formula.guard);
    let chooses = |symbol: &SymbolId| body.terms.symbol(*symbol).kind != SymbolKind::Variable;
    if body.terms.symbols_of_all(&roots).iter().any(chooses) || body.terms.reachable(&roots).len() > MAX_TERMS
    {
        return Ok(None);
    }
    let most = body.terms.int(MAX_ITERATIONS);
    let too_many = body.terms.gt(star.count, most);
    let conjuncts = star.some.iter().copied().chain([star.always, facts, too_many]);
    let question = body.terms.and(conjuncts);
    if !body.is_impossible(question)? {
        return Ok(None);
    }
    let mut powers = vec![Transition::identity()];
    for _ in 0..MAX_ITERATIONS {
        let last = &powers[powers.len() - 1];
        let next = formula.then(body.terms, last);
        let possible = body.terms.and([facts, next.guard]);
        if body.is_impossible(possible)? {
            break;
        }
        powers.push(next);
    }
    Ok(Some(union(body.terms, &formula, &powers)))
}

/// The union of powers, told apart by their number.
fn union(terms: &mut Terms, body: &Transition, powers: &[Transition]) -> Star {
    let counter = terms.fresh("k", Sort::Int, SymbolKind::Counter);
    let count = terms.of_symbol(counter);
    let mut guards = Vec::new();
    let mut update: BTreeMap<SymbolId, TermId> = BTreeMap::new();
    for (iterations, power) in powers.iter().enumerate() {
        let number = terms.int(iterations as i64);
        let is_number = terms.eq(count, number);
        guards.push(terms.and([is_number, power.guard]));
        for symbol in body.update.keys() {
            let value = power.value(terms, *symbol);
            let other = update.get(symbol).copied().unwrap_or(value);
            update.insert(*symbol, terms.ite(is_number, value, other));
        }
    }
    let guard = terms.or(guards);
    let (zero, one) = (terms.int(0), terms.int(1));
    let next = terms.add(count, one);
    Star {
        formula: Transition { guard, update },
        count,
        none: vec![(counter, zero)],
        more: vec![vec![(counter, next)]],
        exact: true,
    }
}
