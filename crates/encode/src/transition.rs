//! Transitions: relations between the values of variables before and after.
//!
//! # Paper
//! [Gps25] §3: transition formulas and their composition. A formula is kept as a guard and a parallel update, so that
//! unchanged variables cost nothing and composition is substitution.
//!
//! # Meaning
//! Over the variables X and Skolem constants Z (all other symbols): `[[T]](X, X') = ∃Z. guard(X,Z) ∧ X' = update(X,Z)`, where variables
//! that `update` does not mention keep their value.
//!
//! # Invariants
//! * F1: `identity`, `empty`, `then` and `or` are exact. `then` requires that the two formulas share no Skolem constant that both may
//!   choose: every block and every star has its own, and occurs once on a path.

use std::collections::BTreeMap;

use term::{Substitution, SymbolId, TermId, Terms};

use crate::join::{Either, choose, either};

/// A guard and a parallel update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// When the transition is possible.
    pub guard: TermId,
    /// What changes.
    pub update: BTreeMap<SymbolId, TermId>,
}

impl Transition {
    /// Nothing happens.
    pub fn identity() -> Self {
        Self { guard: Terms::TRUE, update: BTreeMap::new() }
    }
    /// Nothing is possible.
    pub fn empty() -> Self {
        Self { guard: Terms::FALSE, update: BTreeMap::new() }
    }
    /// Nothing happens, if a condition holds.
    pub fn assume(guard: TermId) -> Self {
        Self { guard, update: BTreeMap::new() }
    }
    /// Whether nothing is possible, as far as the syntax tells.
    pub fn is_empty(&self) -> bool {
        self.guard == Terms::FALSE
    }
    /// The weakest condition on the values before under which `goal` holds after some execution (Skolem constants stay free).
    pub fn before(&self, terms: &mut Terms, goal: TermId) -> TermId {
        let goal = self.substitution().apply(terms, goal);
        terms.and([self.guard, goal])
    }
    /// The values afterwards in the place of the variables.
    pub fn substitution(&self) -> Substitution {
        Substitution::new(self.update.iter().map(|(symbol, term)| (*symbol, *term)))
    }
    /// First this, then `next`.
    #[must_use]
    pub fn then(&self, terms: &mut Terms, next: &Self) -> Self {
        if self.is_empty() || next.is_empty() {
            return Self::empty();
        }
        let mut substitution = self.substitution();
        let after = substitution.apply(terms, next.guard);
        let guard = terms.and([self.guard, after]);
        let mut update = self.update.clone();
        for (symbol, term) in &next.update {
            update.insert(*symbol, substitution.apply(terms, *term));
        }
        Self { guard, update }
    }
    /// Either this or `other`.
    #[must_use]
    pub fn or(&self, terms: &mut Terms, other: &Self) -> Self {
        self.union(terms, other).0
    }
    /// Either this or `other`, and the symbol of the choice between them if no condition tells them apart.
    pub fn union(&self, terms: &mut Terms, other: &Self) -> (Self, Option<SymbolId>) {
        if self.is_empty() {
            return (other.clone(), None);
        }
        if other.is_empty() {
            return (self.clone(), None);
        }
        let (union, Either { choice, .. }) = self.joined(terms, other);
        (union, choice)
    }
    /// Either this or `other`, of which none is empty, and how they are told apart.
    pub fn joined(&self, terms: &mut Terms, other: &Self) -> (Self, Either) {
        let either @ Either { guard, condition, .. } = either(terms, self.guard, other.guard);
        // Both lists ascend: most variables have the same value on both sides.
        let mut update = Vec::with_capacity(self.update.len().max(other.update.len()));
        let (mut lefts, mut rights) = (self.update.iter().peekable(), other.update.iter().peekable());
        while let Some(symbol) =
            [lefts.peek(), rights.peek()].into_iter().flatten().map(|(symbol, _)| **symbol).min()
        {
            let [left, right] = [&mut lefts, &mut rights]
                .map(|side| side.next_if(|(changed, _)| **changed == symbol).map(|(_, value)| *value));
            let value = match (left, right) {
                (Some(left), Some(right)) if left == right => left,
                _ => {
                    let [left, right] =
                        [left, right].map(|value| value.unwrap_or_else(|| terms.of_symbol(symbol)));
                    choose(terms, condition, [left, right])
                }
            };
            update.push((symbol, value));
        }
        let update = update.into_iter().collect();
        (Self { guard, update }, either)
    }
    /// What a variable holds afterwards.
    pub fn value(&self, terms: &mut Terms, symbol: SymbolId) -> TermId {
        match self.update.get(&symbol) {
            Some(term) => *term,
            None => terms.of_symbol(symbol),
        }
    }
    /// The same formula with all that is not in `keep` forgotten afterwards: for variables that nobody reads again.
    #[must_use]
    pub fn restricted_to(mut self, keep: impl Fn(SymbolId) -> bool) -> Self {
        self.update.retain(|symbol, _| keep(*symbol));
        self
    }
    /// All symbols that occur, ascending.
    pub fn symbols(&self, terms: &Terms) -> Vec<SymbolId> {
        let roots: Vec<TermId> = self.update.values().copied().chain([self.guard]).collect();
        terms.symbols_of_all(&roots)
    }
}
