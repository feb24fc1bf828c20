//! A conjunction of literals that a model satisfies and that implies a formula.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::traverse::Step;
use crate::{Evaluator, Model, Node, Sort, TermId, Terms};

impl Terms {
    /// Literals that hold in `model` and together imply `formula`, ascending; nothing if the formula does not hold.
    ///
    /// No literal contains a choice between integers or arrays: the model chooses, and the condition becomes part of
    /// the conjunction. Of a disjunction that holds, an item that is needed anyway is preferred.
    pub fn implicant(&mut self, formula: TermId, model: &Model) -> Option<Vec<TermId>> {
        let values = Truth::collect(self, formula, model)?;
        let mut walk = Walk { values, open: vec![formula], seen: FxHashSet::default() };
        let mut resolved: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut literals = Vec::new();
        while let Some(term) = walk.open.pop() {
            if !walk.seen.insert(term) {
                continue;
            }
            if let Some(atom) = walk.expand(self, term) {
                let atom = self.transform(atom, &mut resolved, |terms, term| walk.choose(terms, term));
                literals.push(if walk.value(term) { atom } else { self.not(atom) });
            }
        }
        literals.retain(|literal| *literal != Self::TRUE);
        literals.sort_unstable();
        literals.dedup();
        Some(literals)
    }
}

/// The truth values of all boolean terms in a formula.
struct Truth(FxHashMap<TermId, bool>);

impl Truth {
    fn collect(terms: &Terms, formula: TermId, model: &Model) -> Option<Self> {
        let mut evaluator = Evaluator::new(terms, model);
        if !evaluator.holds(formula) {
            return None;
        }
        let order = terms.reachable(&[formula]);
        let booleans = order.into_iter().filter(|term| terms.sort(*term) == Sort::Bool);
        Some(Self(booleans.map(|term| (term, evaluator.holds(term))).collect()))
    }
}

struct Walk {
    values: Truth,
    /// Terms of which the conjunction must entail that they have the value that they have.
    open: Vec<TermId>,
    seen: FxHashSet<TermId>,
}

impl Walk {
    fn value(&self, term: TermId) -> bool {
        self.values.0[&term]
    }

    /// Opens what entails that `term` has its value; returns the term itself if it is an atom.
    fn expand(&mut self, terms: &Terms, term: TermId) -> Option<TermId> {
        let value = self.value(term);
        match terms.node(term) {
            Node::True | Node::False => None,
            Node::Not(a) => {
                self.open.push(*a);
                None
            }
            Node::And(items) | Node::Or(items) => {
                let is_and = matches!(terms.node(term), Node::And(_));
                if is_and == value {
                    self.open.extend(items);
                } else {
                    let mut fitting = items.iter().copied().filter(|item| self.value(*item) == value);
                    let chosen =
                        fitting.clone().find(|item| self.seen.contains(item)).or_else(|| fitting.next());
                    self.open.extend(chosen);
                }
                None
            }
            Node::Ite(condition, yes, no) => {
                let holds = self.value(*condition);
                self.open.extend([*condition, if holds { *yes } else { *no }]);
                None
            }
            _ => Some(term),
        }
    }

    /// Inside of an atom: choices are made by the model, their conditions opened.
    fn choose(&mut self, terms: &Terms, term: TermId) -> Step {
        match terms.node(term) {
            Node::Ite(condition, yes, no) => {
                let holds = self.value(*condition);
                self.open.push(*condition);
                Step::Follow(if holds { *yes } else { *no })
            }
            _ => Step::Rebuild,
        }
    }
}
