//! Facts about all elements of an array: `for all k: condition(k, X) implies a[k] == value(k, X)`, or a bound in the place of the value.
//!
//! They hold at a point in every execution, whatever leads to the error. An arc that reads `a[u]` may use them at `u`.
//!
//! Facts about pairs of elements ([`Pairs`]) are formulas over two ghosts: `for all k, l: 0 <= k && k < l && l < i implies a[k] <= a[l]`.
//!
//! # Invariants
//! * E1: facts mention live variables of their point and the ghosts only.
//! * E2: in every execution the facts of a point hold whenever it is reached.

use std::collections::BTreeMap;

use term::{Substitution, SymbolId, TermId, Terms};

use crate::cut::PointId;

/// How elements relate to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// They are equal to it.
    Equal,
    /// They are not below it.
    AtLeast,
    /// They are not above it.
    AtMost,
}

/// What is known of the elements of one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementFact {
    /// The symbol of the array.
    pub array: SymbolId,
    /// Of which elements it is known, over the ghost and variables.
    pub condition: TermId,
    /// How they relate to the value.
    pub relation: Relation,
    /// What they are compared with, over the ghost and variables.
    pub value: TermId,
}

impl ElementFact {
    /// The fact for the element at an index.
    pub fn at(&self, terms: &mut Terms, ghost: SymbolId, index: TermId) -> TermId {
        let mut there = Substitution::new([(ghost, index)]);
        let condition = there.apply(terms, self.condition);
        let value = there.apply(terms, self.value);
        let array = terms.of_symbol(self.array);
        let element = terms.select(array, index);
        let related = match self.relation {
            Relation::Equal => terms.eq(element, value),
            Relation::AtLeast => terms.ge(element, value),
            Relation::AtMost => terms.le(element, value),
        };
        terms.implies(condition, related)
    }
}

/// What is known of elements at the points of a graph.
#[derive(Clone, Debug, Default)]
pub struct Elements {
    /// The ghost that stands for all indices; absent if nothing is known.
    pub ghost: Option<SymbolId>,
    /// The facts of points.
    pub facts: BTreeMap<PointId, Vec<ElementFact>>,
    /// At which indices the arcs that leave a point use its facts.
    pub indices: BTreeMap<PointId, Vec<TermId>>,
    /// What is known of two elements at a time.
    pub pairs: Pairs,
}

/// What is known of pairs of elements at the points of a graph.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// The ghosts that stand for all pairs of indices; absent if nothing is known.
    pub ghosts: Option<[SymbolId; 2]>,
    /// The facts of points, over the ghosts and variables.
    pub facts: BTreeMap<PointId, Vec<TermId>>,
    /// At which pairs of indices the arcs that leave a point use its facts.
    pub indices: BTreeMap<PointId, Vec<[TermId; 2]>>,
}

impl Pairs {
    /// The instances that proofs need at a point, as values of the ghosts.
    pub fn instances(&self, point: PointId) -> Vec<Vec<(SymbolId, TermId)>> {
        let Some(ghosts) = self.ghosts else { return Vec::new() };
        let pairs = self.indices.get(&point).into_iter().flatten();
        pairs.map(|pair| ghosts.into_iter().zip(*pair).collect()).collect()
    }
}

impl Elements {
    /// What must not be for some index: the negation of the facts of a point.
    pub fn violated(&self, terms: &mut Terms, point: PointId) -> TermId {
        let mut broken = Vec::new();
        if let Some(ghost) = self.ghost {
            let index = terms.of_symbol(ghost);
            for fact in self.facts.get(&point).into_iter().flatten() {
                let holds = fact.at(terms, ghost, index);
                broken.push(terms.not(holds));
            }
        }
        for fact in self.pairs.facts.get(&point).into_iter().flatten() {
            broken.push(terms.not(*fact));
        }
        terms.or(broken)
    }
}
