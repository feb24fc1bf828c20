//! The star of a loop in which something happens in one iteration only, with one counter for all iterations.
//!
//! # Rule
//! An event splits a loop into parts before, at and after it ([`super::decomposition`]). If all three move the same variables by the same constants, and the parts before and after change nothing else,
//! then K iterations are one closed form: the variables move K times, and if the distance d, which grows by s in each iteration, is in the window `low..=high` after `m = ⌊(high - d) / s⌋` of them, what the
//! part at the event changes is changed as in that iteration:
//!
//! ```text
//!   a⟨κ⟩' = (0 <= m < K and low <= d + s·m) ? f at iteration m : a⟨κ⟩
//! ```
//!
//! This is the exact acceleration of writes to arrays. With one counter instead of three, the star is small enough to be the body of the next loop.
//!
//! # Invariants
//! * O1: K1 and K2 of [`super`]; what the event chooses has names of its own, which are the choices of the iteration at hand if that is the event.
//!
//! # Cost
//! No question. Linear in the size of the parts.

use std::collections::{BTreeMap, BTreeSet};

use encode::Transition;
use term::{Integer, Node, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

use super::recurrence::{ClosedForm, Increment, Recurrences};
use super::{Body, Star};

/// The parts of a loop that an event makes, and the distances at which it happens.
#[derive(Clone, Debug)]
pub struct Event {
    /// All iterations before it.
    pub before: Body,
    /// That in which it happens.
    pub at: Body,
    /// All iterations after it.
    pub after: Body,
    /// The distance, over the values at the start of an iteration; it grows in each one.
    pub distance: TermId,
    /// The least distance at which it happens.
    pub low: Integer,
    /// The greatest one.
    pub high: Integer,
}

impl Star {
    /// The star of an event that happens at most once, if all its parts move variables alike.
    pub(super) fn of_event(terms: &mut Terms, event: &Event) -> Option<Self> {
        let moves = moves(terms, event)?;
        let step = step(terms, &moves, event.distance)?;
        let counter = terms.fresh("k", Sort::Int, SymbolKind::Counter);
        let count = terms.of_symbol(counter);
        let (zero, one) = (terms.int(0), terms.int(1));
        // The iteration in which it happens.
        let high = terms.number(event.high.clone());
        let left = terms.sub(high, event.distance);
        let number = terms.div(left, &step);
        let happens = happens(terms, event, &step, number, count);
        let mut at_event = Substitution::new(moved(terms, &moves, number));
        let (copies, mut once_more) = copies(terms, event);
        let mut rename = Substitution::new(copies);
        let mut at = |terms: &mut Terms, term: TermId| {
            let renamed = rename.apply(terms, term);
            at_event.apply(terms, renamed)
        };
        let guard = at(terms, event.at.formula.guard);
        let (common, is_all) = common_guard(terms, event);
        let recurrences = Recurrences {
            translations: moves
                .iter()
                .map(|(symbol, step)| (*symbol, Increment::Constant(step.clone())))
                .collect(),
            ..Recurrences::default()
        };
        let closed = ClosedForm::new(terms, &recurrences, count);
        let (guards, exact) = closed.guards(terms, common);
        let mut update = closed.after(terms);
        for (symbol, value) in &event.at.formula.update {
            if !moves.contains_key(symbol) {
                let (value, before) = (at(terms, *value), terms.of_symbol(*symbol));
                update.insert(*symbol, terms.ite(happens, value, before));
            }
        }
        let is_none = terms.eq(count, zero);
        let not_negative = terms.ge(count, zero);
        let if_happens = terms.implies(happens, guard);
        let some = terms.and([guards, if_happens]);
        let either = terms.or([is_none, some]);
        let guard = terms.and([not_negative, either]);
        let next = terms.add(count, one);
        once_more.push((counter, next));
        Some(Self {
            formula: Transition { guard, update },
            count,
            none: vec![(counter, zero)],
            more: vec![once_more],
            exact: exact && is_all,
        })
    }
}

/// Values of symbols.
type Values = Vec<(SymbolId, TermId)>;

/// Names of its own for what the event chooses, and their values if there is one iteration more.
fn copies(terms: &mut Terms, event: &Event) -> (Values, Values) {
    let is_now = is_now(terms, event);
    let (mut copies, mut once_more) = (Vec::new(), Vec::new());
    for symbol in event.at.formula.symbols(terms) {
        let info = terms.symbol(symbol).clone();
        if info.kind != SymbolKind::Variable {
            let copy = terms.declare(info.name, info.sort, info.kind);
            let (own, copied) = (terms.of_symbol(symbol), terms.of_symbol(copy));
            copies.push((symbol, copied));
            once_more.push((copy, terms.ite(is_now, own, copied)));
        }
    }
    (copies, once_more)
}

/// By how much all parts move variables; nothing if they do not do it alike, or do more outside of the event.
fn moves(terms: &mut Terms, event: &Event) -> Option<BTreeMap<SymbolId, Integer>> {
    let of = |terms: &mut Terms, body: &Body| -> (BTreeMap<SymbolId, Integer>, bool) {
        let recurrences = Recurrences::of(terms, &body.formula, body.facts);
        let mut moves = BTreeMap::new();
        let mut is_all = recurrences.derived.is_empty() && recurrences.unknown.is_empty();
        for (symbol, increment) in recurrences.translations {
            match increment {
                Increment::Constant(step) if step.is_zero() => {}
                Increment::Constant(step) => {
                    moves.insert(symbol, step);
                }
                _ => is_all = false,
            }
        }
        (moves, is_all)
    };
    let (before, is_before) = of(terms, &event.before);
    let (after, is_after) = of(terms, &event.after);
    let (at, _) = of(terms, &event.at);
    let moves_alike = before == after && before.iter().all(|(symbol, step)| at.get(symbol) == Some(step));
    (is_before && is_after && moves_alike).then_some(before)
}

/// By how much the distance grows in one iteration.
fn step(terms: &Terms, moves: &BTreeMap<SymbolId, Integer>, distance: TermId) -> Option<Integer> {
    let mut step = Integer::ZERO;
    for (part, factor) in terms.linear(distance).terms() {
        let Node::Symbol(symbol) = terms.node(*part) else { return None };
        if let Some(own) = moves.get(symbol) {
            step += &(factor * own);
        }
    }
    step.is_positive().then_some(step)
}

/// The values of moved variables after a number of iterations.
fn moved(terms: &mut Terms, moves: &BTreeMap<SymbolId, Integer>, number: TermId) -> Vec<(SymbolId, TermId)> {
    let mut pairs = Vec::new();
    for (symbol, step) in moves {
        let (start, distance) = (terms.of_symbol(*symbol), terms.scale(step, number));
        pairs.push((*symbol, terms.add(start, distance)));
    }
    pairs
}

/// That the event is one of so many iterations.
fn happens(terms: &mut Terms, event: &Event, step: &Integer, number: TermId, count: TermId) -> TermId {
    let zero = terms.int(0);
    let (above, below) = (terms.le(zero, number), terms.lt(number, count));
    let grown = terms.scale(step, number);
    let there = terms.add(event.distance, grown);
    let low = terms.number(event.low.clone());
    let reached = terms.le(low, there);
    terms.and([above, below, reached])
}

/// That the iteration that starts is the event.
fn is_now(terms: &mut Terms, event: &Event) -> TermId {
    let (low, high) = (terms.number(event.low.clone()), terms.number(event.high.clone()));
    let (above, below) = (terms.le(low, event.distance), terms.le(event.distance, high));
    terms.and([above, below])
}

/// What all iterations test without a choice, and whether that is all that those outside of the event test.
fn common_guard(terms: &mut Terms, event: &Event) -> (TermId, bool) {
    let before: BTreeSet<TermId> = terms.conjuncts(event.before.formula.guard).into_iter().collect();
    let after: BTreeSet<TermId> = terms.conjuncts(event.after.formula.guard).into_iter().collect();
    let at: BTreeSet<TermId> = terms.conjuncts(event.at.formula.guard).into_iter().collect();
    let low = terms.number(event.low.clone());
    let high = terms.number(event.high.clone());
    let (is_below, is_above) = (terms.lt(event.distance, low), terms.gt(event.distance, high));
    let is_plain = |term: &TermId| {
        let symbols = terms.symbols_of(*term);
        symbols.iter().all(|symbol| {
            let info = terms.symbol(*symbol);
            info.kind == SymbolKind::Variable && info.sort == Sort::Int
        })
    };
    let common: Vec<TermId> = before
        .iter()
        .filter(|term| after.contains(term) && at.contains(term) && is_plain(term))
        .copied()
        .collect();
    let is_all = before.iter().all(|term| *term == is_below || common.contains(term))
        && after.iter().all(|term| *term == is_above || common.contains(term));
    (terms.and(common), is_all)
}
