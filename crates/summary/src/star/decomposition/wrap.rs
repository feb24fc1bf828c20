//! Loops in which something could wrap around: they behave as without wrap-around until it happens for the first time.
//!
//! Where the analysis of values cannot exclude that `s + v` leaves its type, the body has a choice between `s + v` and `s + v - 2^32`, and hulls of
//! both say nothing. But the first iteration that wraps is preceded by iterations that do not, whose star is precise; often it shows
//! that the first one never comes. With N the iterations without wrap-around and W those with:
//!
//! ```text
//!   F* is contained in  N*  or  N* ; W ; anything
//! ```
//!
//! [Gps25] has unbounded integers and no such case.
//!
//! # Invariants
//! * W1: `F = N ∪ W`, so the relation above contains the closure, and prepending or appending an iteration stays inside: an iteration of N
//!   in front joins N*, one of W in front is the first to wrap, after which anything is allowed.
//! * W2: all values after the loop have names of their own, which stay the same when an iteration is prepended; so the choices of
//!   [`crate::Star::more`] need not speak of states in between.
//!
//! # Cost
//! Linear in the number of terms, plus the star of N. No question.

use std::collections::BTreeMap;

use base::Stop;
use term::{Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

use super::{Decomposition, Split};
use crate::star::loop_body::LoopBody;
use crate::star::partial::PartialStar;
use crate::star::wrap_around::wrapped;
use crate::star::{Body, Star};
use encode::Transition;

/// More conditions than this are not taken apart.
const MAX_CONDITIONS: usize = 4;

/// The decomposition.
pub(super) struct WrapAround;

impl Decomposition for WrapAround {
    fn name(&self) -> &'static str {
        "wrap-around"
    }

    // Every such split removes the choices that it is made of, so splits of splits come to an end by themselves.
    fn depth_of_parts(&self, depth: u32) -> Option<u32> {
        (depth > 0).then_some(depth)
    }

    fn split(&self, body: &mut LoopBody<'_>, _star: &PartialStar) -> Result<Option<Split>, Stop> {
        let Some(kinds) = Kinds::of(body.terms, &body.definition) else { return Ok(None) };
        let (part, whole) = (kinds.normal.clone(), body.definition.clone());
        let compose = move |terms: &mut Terms, normal: &Star| kinds.star(terms, &whole, normal);
        Ok(Some(Split::One(part, Box::new(compose))))
    }
}

/// The iterations of a loop body by whether something wraps around.
struct Kinds {
    /// Those in which nothing does.
    normal: Body,
    /// The condition under which something does, over the values at the start and what is chosen.
    wraps: TermId,
}

impl Kinds {
    /// The split of a body, if it has choices that look like wrap-around.
    fn of(terms: &mut Terms, body: &Body) -> Option<Self> {
        let roots: Vec<TermId> = body.formula.update.values().copied().chain([body.formula.guard]).collect();
        let mut normal: BTreeMap<TermId, TermId> = BTreeMap::new();
        let mut conditions = Vec::new();
        for term in terms.reachable(&roots) {
            if let Some((usual, condition)) = wrapped(terms, term) {
                normal.insert(term, usual);
                conditions.push(condition);
            }
        }
        if conditions.is_empty() || conditions.len() > MAX_CONDITIONS {
            return None;
        }
        let wraps = terms.or(conditions);
        let never = terms.not(wraps);
        let mut simplify =
            |term: TermId| terms.rewrite(term, |_, part| normal.get(&part).copied().unwrap_or(part));
        let update = body.formula.update.iter().map(|(symbol, value)| (*symbol, simplify(*value))).collect();
        let guard = simplify(body.formula.guard);
        let guard = terms.and([guard, never]);
        let formula = Transition { guard, update };
        Some(Self { normal: Body { formula, ..body.clone() }, wraps })
    }

    /// The star of the body, given that of the iterations without wrap-around.
    fn star(&self, terms: &mut Terms, body: &Body, normal: &Star) -> Star {
        let happened = terms.fresh("wrapped", Sort::Bool, SymbolKind::Skolem);
        let happened_term = terms.of_symbol(happened);
        let counter = terms.fresh("k", Sort::Int, SymbolKind::Counter);
        let total = terms.of_symbol(counter);
        let one = terms.int(1);
        let (mut none, mut first) = (normal.none.clone(), normal.none.clone());
        none.extend([(happened, Terms::FALSE), (counter, terms.int(0))]);
        let next = terms.add(total, one);
        first.extend([(happened, Terms::TRUE), (counter, next)]);
        // W2
        let mut update = BTreeMap::new();
        let mut usual = vec![terms.eq(total, normal.count)];
        for symbol in body.formula.update.keys() {
            let info = terms.symbol(*symbol).clone();
            let after = terms.declare(info.name, info.sort, SymbolKind::Primed);
            let (before, after_term) = (terms.of_symbol(*symbol), terms.of_symbol(after));
            let value = normal.formula.value(terms, *symbol);
            usual.push(terms.eq(after_term, value));
            update.insert(*symbol, after_term);
            none.push((after, before));
        }
        // The first iteration that wraps starts where those without end, and chooses for itself.
        let copies = self.copies(terms, body);
        let mut rename = Substitution::new(copies.iter().map(|(old, new)| (*old, *new)));
        let wraps = terms.and([body.facts, body.formula.guard, self.wraps]);
        let wraps = rename.apply(terms, wraps);
        let pairs = normal.formula.update.iter().map(|(symbol, value)| (*symbol, *value));
        let wraps = Substitution::new(pairs).apply(terms, wraps);
        for (old, new) in &copies {
            if let [symbol] = terms.symbols_of(*new)[..] {
                let value = terms.of_symbol(*old);
                first.push((symbol, value));
            }
        }
        let later = terms.gt(total, normal.count);
        let unusual = terms.and([wraps, later]);
        let usual = terms.and(usual);
        let not_happened = terms.not(happened_term);
        let either = [terms.implies(not_happened, usual), terms.implies(happened_term, unusual)];
        let guard = terms.and([normal.formula.guard, either[0], either[1]]);
        let mut more: Vec<Vec<(SymbolId, TermId)>> = normal.more.clone();
        for choice in &mut more {
            choice.push((counter, next));
        }
        more.push(first);
        Star { formula: Transition { guard, update }, count: total, none, more, exact: false }
    }

    /// New symbols for what an iteration chooses.
    fn copies(&self, terms: &mut Terms, body: &Body) -> Vec<(SymbolId, TermId)> {
        let used = terms.symbols_of_all(&[body.formula.guard, self.wraps]);
        let mut copies = Vec::new();
        for symbol in used {
            let info = terms.symbol(symbol).clone();
            if info.kind != SymbolKind::Variable {
                let copy = terms.declare(info.name, info.sort, info.kind);
                copies.push((symbol, terms.of_symbol(copy)));
            }
        }
        copies
    }
}
