//! Which Skolem constants the formulas have that are known at a stage of [`super::single_target`].
//!
//! Formulas of a program share most of their parts: each part is looked at once, however many formulas it is part of.
//!
//! # Invariants
//! * N1: all subterms of a term that was seen were seen, symbols among them.

use rustc_hash::FxHashSet;
use term::{Node, SymbolId, SymbolKind, TermId, Terms};

/// Formulas and their subterms.
#[derive(Default)]
pub(crate) struct Continuations {
    seen: FxHashSet<TermId>,
    /// The same in the order in which they were added.
    order: Vec<TermId>,
}

/// A stage, to come back to: how many terms had been seen.
#[derive(Clone, Copy)]
pub(crate) struct Mark(usize);

impl Continuations {
    /// The stage at hand.
    pub(crate) fn mark(&self) -> Mark {
        Mark(self.order.len())
    }
    /// Forgets what was added since.
    pub(crate) fn return_to(&mut self, mark: Mark) {
        for term in self.order.drain(mark.0..) {
            self.seen.remove(&term);
        }
    }
    /// Adds a formula.
    pub(crate) fn add(&mut self, terms: &Terms, formula: TermId) {
        terms.descend(formula, |term| {
            let is_new = self.seen.insert(term);
            if is_new {
                self.order.push(term);
            }
            is_new
        });
    }
    /// Whether a term is part of a formula that was added.
    pub(crate) fn contains(&self, term: TermId) -> bool {
        self.seen.contains(&term)
    }
    /// The symbols of a formula that are no variables and occur nowhere else, ascending.
    pub(crate) fn own(&self, terms: &Terms, formula: TermId) -> Vec<SymbolId> {
        let (mut visited, mut own) = (FxHashSet::default(), Vec::new());
        terms.descend(formula, |term| {
            if self.seen.contains(&term) || !visited.insert(term) {
                return false;
            }
            if let Node::Symbol(symbol) = terms.node(term)
                && terms.symbol(*symbol).kind != SymbolKind::Variable
            {
                own.push(*symbol);
            }
            true
        });
        own.sort_unstable();
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::Sort;

    #[test]
    fn what_was_added_since_a_mark_is_forgotten() {
        let mut terms = Terms::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| terms.declare(name, Sort::Bool, SymbolKind::Skolem));
        let [of_a, of_b, of_c] = [a, b, c].map(|symbol| terms.of_symbol(symbol));
        let (first, second) = (terms.or([of_a, of_b]), terms.or([of_b, of_c]));
        let all = terms.and([first, second]);
        let mut known = Continuations::default();
        assert_eq!(known.own(&terms, all), [a, b, c]);
        known.add(&terms, first);
        let mark = known.mark();
        assert_eq!(known.own(&terms, all), [c]);
        known.add(&terms, second);
        assert_eq!(known.own(&terms, all), []);
        assert!(known.contains(of_c));
        known.return_to(mark);
        assert_eq!(known.own(&terms, all), [c]);
        assert!(!known.contains(of_c) && known.contains(of_b));
    }
}
