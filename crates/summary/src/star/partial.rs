//! A star in the making: closed forms, names for the other values after the loop, and what domains have found so far.
//!
//! # Invariants
//! * A1: for every number k of iterations, `always` holds; for k >= 1 every formula in `some` holds, too. Both satisfy K1 of [`super`].
//! * A2: `none` and `more` choose values for all Skolem constants of the partial star, as K2 of [`super`] demands. There are at most
//!   [`MAX_CHOICES`] ways in `more`, unless a decomposition brought more.

use std::collections::BTreeMap;

use term::{Node, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

use super::loop_body::LoopBody;
use super::recurrence::{ClosedForm, Recurrences};
use super::{Body, Star};
use encode::Transition;

/// More ways than this to choose Skolem constants for one iteration more are not offered.
pub(super) const MAX_CHOICES: usize = 8;

/// What is known of the star of a loop body.
#[derive(Clone, Debug)]
pub struct PartialStar {
    /// What holds for any number of iterations.
    pub(super) always: TermId,
    /// What holds for at least one.
    pub(super) some: Vec<TermId>,
    /// The number of iterations.
    pub(super) count: TermId,
    /// The values after all iterations.
    pub(super) update: BTreeMap<SymbolId, TermId>,
    pub(super) none: Vec<(SymbolId, TermId)>,
    pub(super) more: Vec<Vec<(SymbolId, TermId)>>,
    pub(super) exact: bool,
}

/// What a domain has found.
#[derive(Clone, Debug, Default)]
pub struct StarFacts {
    /// What holds after at least one iteration.
    pub some: Vec<TermId>,
    /// What holds after any number, with a Skolem constant each.
    pub any: Vec<Witnessed>,
}

/// A fact that holds for one value of a Skolem constant.
#[derive(Clone, Debug)]
pub struct Witnessed {
    /// The Skolem constant; no other fact mentions it.
    pub symbol: SymbolId,
    /// The fact. It determines the constant.
    pub fact: TermId,
    /// What to choose for no iteration.
    pub none: TermId,
    /// What to choose for one iteration more, at either end: one of these, in terms of the constant before.
    pub more: Vec<TermId>,
}

impl StarFacts {
    /// Facts about at least one iteration.
    pub fn after_some(facts: Vec<TermId>) -> Self {
        Self { some: facts, any: Vec::new() }
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.some.is_empty() && self.any.is_empty()
    }
}

impl PartialStar {
    /// Closed forms, and names for the values of the other variables.
    pub(super) fn of_recurrences(terms: &mut Terms, body: &Body) -> Self {
        let recurrences = Recurrences::of(terms, &body.formula, body.facts);
        Self::new(terms, body, &recurrences)
    }

    /// Names for the values of all variables that change.
    pub(super) fn of_names(terms: &mut Terms, body: &Body) -> Self {
        let unknown = body.formula.update.keys().copied().collect();
        Self::new(terms, body, &Recurrences { unknown, ..Recurrences::default() })
    }

    fn new(terms: &mut Terms, body: &Body, recurrences: &Recurrences) -> Self {
        let counter = terms.fresh("k", Sort::Int, SymbolKind::Counter);
        let count = terms.of_symbol(counter);
        let closed = ClosedForm::new(terms, recurrences, count);
        let mut update = closed.after(terms);
        let (zero, one) = (terms.int(0), terms.int(1));
        let next = terms.add(count, one);
        let (mut none, mut once_more) = (vec![(counter, zero)], vec![(counter, next)]);
        for (symbol, at_none, at_more) in closed.choices(terms) {
            none.push((symbol, at_none));
            once_more.push((symbol, at_more));
        }
        let mut unchanged = Vec::new();
        for symbol in &recurrences.unknown {
            let info = terms.symbol(*symbol).clone();
            let after = terms.declare(info.name, info.sort, SymbolKind::Primed);
            let (before, after_term) = (terms.of_symbol(*symbol), terms.of_symbol(after));
            update.insert(*symbol, after_term);
            unchanged.push(terms.eq(before, after_term));
            none.push((after, before));
        }
        let (guards, exact) = closed.guards(terms, body.formula.guard);
        let within = closed.within_ranges(terms);
        let is_none = terms.eq(count, zero);
        unchanged.push(is_none);
        let not_none = terms.not(is_none);
        let unchanged = terms.and(unchanged);
        let not_negative = terms.ge(count, zero);
        let either = terms.or([unchanged, not_none]);
        let always = terms.and([not_negative, either, within]);
        Self { always, some: vec![guards], count, update, none, more: vec![once_more], exact }
    }

    /// A partial star with the values of a star that a decomposition has found.
    pub(super) fn over(star: Star) -> Self {
        Self {
            always: star.formula.guard,
            some: Vec::new(),
            count: star.count,
            update: star.formula.update,
            none: star.none,
            more: star.more,
            exact: star.exact,
        }
    }

    /// The number of iterations.
    pub fn count(&self) -> TermId {
        self.count
    }

    /// The values after all iterations of the variables that change.
    pub fn values(&self) -> &BTreeMap<SymbolId, TermId> {
        &self.update
    }

    /// Takes over what a domain has found.
    pub(super) fn add(&mut self, terms: &mut Terms, found: StarFacts) {
        self.some.extend(found.some);
        for Witnessed { symbol, fact, none, more } in found.any {
            self.always = terms.and([self.always, fact]);
            self.none.push((symbol, none));
            let mut choices = Vec::new();
            for choice in &self.more {
                choices.extend(more.iter().map(|value| {
                    choice.iter().copied().chain([(symbol, *value)]).collect::<Vec<(SymbolId, TermId)>>()
                }));
            }
            self.more = choices;
        }
    }

    /// The star, with nothing more to be found.
    pub(super) fn into_star(self, terms: &mut Terms) -> Star {
        let zero = terms.int(0);
        let none = terms.le(self.count, zero);
        let some = terms.and(self.some);
        let either = terms.or([none, some]);
        let guard = terms.and([self.always, either]);
        Star {
            formula: Transition { guard, update: self.update },
            count: self.count,
            none: self.none,
            more: self.more,
            exact: self.exact,
        }
    }

    /// A term over the state and the state after one iteration, as one over the state before and after all iterations.
    pub(super) fn lift(&self, body: &mut LoopBody<'_>, condition: TermId) -> TermId {
        let pairs: Vec<_> =
            body.after.iter().map(|(symbol, primed)| (*primed, self.update[symbol])).collect();
        Substitution::new(pairs).apply(body.terms, condition)
    }

    /// Whether a changed variable has no closed form.
    pub(super) fn is_open(&self, terms: &Terms, symbol: SymbolId) -> bool {
        self.update.get(&symbol).is_some_and(|value| match terms.node(*value) {
            Node::Symbol(after) => terms.symbol(*after).kind == SymbolKind::Primed,
            _ => true,
        })
    }
}
