//! Which symbols of a solution stand for values of another sort.
//!
//! The formals of a predicate have the sorts of its declaration; a local that is compared with one has its sort, too.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use term::{Node, Sort, SymbolId, TermId, Terms};

use crate::system::Predicate;

/// Symbols with the sorts that they stand for, as they are written.
#[derive(Debug, Default)]
pub(crate) struct Represented(BTreeMap<SymbolId, Box<str>>);

impl Represented {
    /// No symbol stands for another sort.
    pub(crate) const NONE: Self = Self(BTreeMap::new());

    /// The symbols of these terms that stand for other sorts; what cannot be said of such sorts otherwise.
    pub(crate) fn new(terms: &Terms, predicate: &Predicate, roots: &[TermId]) -> Result<Self, String> {
        let mut found = Self::default();
        for (position, text) in &predicate.represented {
            found.0.insert(predicate.formals[*position], text.clone());
        }
        if found.0.is_empty() {
            return Ok(found);
        }
        let order = terms.reachable(roots);
        while order.iter().any(|term| found.compare(terms, *term)) {}
        found.check(terms, &order)?;
        Ok(found)
    }

    /// The sort that a symbol stands for, if it is another one.
    pub(crate) fn of(&self, symbol: SymbolId) -> Option<&str> {
        self.0.get(&symbol).map(AsRef::as_ref)
    }

    fn of_term(&self, terms: &Terms, term: TermId) -> Option<&str> {
        if let Node::Symbol(symbol) = terms.node(term) { self.of(*symbol) } else { None }
    }

    /// Whether an array is one of booleans.
    pub(crate) fn is_boolean_array(&self, terms: &Terms, array: TermId) -> bool {
        let mut array = array;
        while let Node::Store(before, ..) | Node::Ite(_, before, _) = terms.node(array) {
            array = *before;
        }
        terms.sort(array) == Sort::Array && self.of_term(terms, array).is_some()
    }

    /// What two sides an equation has, if it is one between symbols or arrays.
    pub(crate) fn sides(terms: &Terms, term: TermId) -> Option<(TermId, TermId)> {
        match terms.node(term) {
            Node::Same(a, b) => Some((*a, *b)),
            Node::Zero(sum) => {
                let form = terms.linear(*sum);
                match form.terms() {
                    [(a, one), (b, other)]
                        if form.constant_part().is_zero()
                            && (one + other).is_zero()
                            && one.abs().is_one() =>
                    {
                        Some((*a, *b))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether an equation gives another symbol a sort.
    fn compare(&mut self, terms: &Terms, term: TermId) -> bool {
        let Some((a, b)) = Self::sides(terms, term) else { return false };
        for (known, other) in [(a, b), (b, a)] {
            let base = base(terms, other);
            let text = self.of_term(terms, self::base(terms, known)).map(Box::from);
            if let (Some(text), Node::Symbol(symbol)) = (text, terms.node(base))
                && !self.0.contains_key(symbol)
            {
                self.0.insert(*symbol, text);
                return true;
            }
        }
        false
    }

    /// Whether all that is said of these symbols can be said of what they stand for.
    fn check(&self, terms: &Terms, order: &[TermId]) -> Result<(), String> {
        let mut sums: FxHashSet<TermId> = FxHashSet::default();
        for term in order {
            if let (Node::Zero(sum), Some(_)) = (terms.node(*term), Self::sides(terms, *term)) {
                sums.insert(*sum);
            }
        }
        for term in order {
            let is_said = match terms.node(*term) {
                Node::Same(..) | Node::Zero(_) if Self::sides(terms, *term).is_some() => {
                    let (a, b) = Self::sides(terms, *term).unwrap_or((*term, *term));
                    let is_represented = |side: TermId| self.of_term(terms, base(terms, side)).is_some();
                    is_represented(a) == is_represented(b)
                }
                Node::Select(array, _) => {
                    !self.is_boolean_array(terms, *array) || matches!(terms.node(*array), Node::Symbol(_))
                }
                Node::Store(array, _, value) => {
                    !self.is_boolean_array(terms, *array) || is_truth(terms, *value)
                }
                Node::Ite(..) if terms.sort(*term) == Sort::Array => !self.is_boolean_array(terms, *term),
                Node::Linear(_) if sums.contains(term) => true,
                node => {
                    let mut is_free = true;
                    node.for_each_child(|child| is_free &= self.of_term(terms, child).is_none());
                    is_free
                }
            };
            if !is_said {
                let name = self.0.values().next().map(ToString::to_string).unwrap_or_default();
                return Err(format!("the model says something about values of sort {name} that has no text"));
            }
        }
        Ok(())
    }
}

/// Whether an element is 0 or 1.
fn is_truth(terms: &Terms, value: TermId) -> bool {
    let is_bit =
        |term: TermId| matches!(terms.node(term), Node::Number(value) if value.is_zero() || value.is_one());
    match terms.node(value) {
        Node::Ite(_, yes, no) => is_bit(*yes) && is_bit(*no),
        _ => is_bit(value),
    }
}

/// What is below the stores.
fn base(terms: &Terms, array: TermId) -> TermId {
    let mut array = array;
    while let Node::Store(before, ..) = terms.node(array) {
        array = *before;
    }
    array
}
