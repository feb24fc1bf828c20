//! Constructors of boolean terms.

use std::collections::BTreeSet;

use crate::{Node, Sort, TermId, Terms};

/// Longer conjunctions and disjunctions are kept as one item of the enclosing one. Otherwise a conjunction that
/// grows item by item, as along a path, would take quadratic memory.
const FLATTEN_LIMIT: usize = 64;

/// How the items of two conjunctions differ; all lists ascend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// What both have, conjunctions among them.
    pub common: Vec<TermId>,
    /// What only the first one has.
    pub left: Vec<TermId>,
    /// What only the second one has.
    pub right: Vec<TermId>,
}

/// Which of the two dual connectives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Connective {
    And,
    Or,
}

impl Terms {
    /// Conjunction; of nothing: true.
    pub fn and(&mut self, items: impl IntoIterator<Item = TermId>) -> TermId {
        self.connect(Connective::And, items)
    }

    /// Disjunction; of nothing: false.
    pub fn or(&mut self, items: impl IntoIterator<Item = TermId>) -> TermId {
        self.connect(Connective::Or, items)
    }

    fn connect(&mut self, connective: Connective, items: impl IntoIterator<Item = TermId>) -> TermId {
        let (unit, zero) = match connective {
            Connective::And => (Self::TRUE, Self::FALSE),
            Connective::Or => (Self::FALSE, Self::TRUE),
        };
        let mut flat = Vec::new();
        for item in items {
            assert_eq!(self.sort(item), Sort::Bool, "a connective should be given boolean terms");
            if item == zero {
                return zero;
            }
            match (connective, self.node(item)) {
                _ if item == unit => {}
                (Connective::And, Node::And(inner)) | (Connective::Or, Node::Or(inner))
                    if inner.len() <= FLATTEN_LIMIT =>
                {
                    flat.extend_from_slice(inner);
                }
                _ => flat.push(item),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        let contradicts =
            |item: &TermId| self.negation(*item).is_some_and(|other| flat.binary_search(&other).is_ok());
        if flat.iter().any(contradicts) {
            return zero;
        }
        match flat.as_slice() {
            [] => unit,
            [single] => *single,
            _ => {
                let items = flat.into_boxed_slice();
                let node = if connective == Connective::And { Node::And(items) } else { Node::Or(items) };
                self.intern(node, Sort::Bool)
            }
        }
    }

    /// Negation.
    pub fn not(&mut self, term: TermId) -> TermId {
        assert_eq!(self.sort(term), Sort::Bool, "a negation should be given a boolean term");
        if let Some(negation) = self.negation(term) {
            return negation;
        }
        if let Node::Le(sum) = *self.node(term) {
            // Over the integers ¬(t ≤ 0) is 1 - t ≤ 0; the constructor links the two.
            let form = self.linear(sum).negate().add_constant(&crate::Integer::ONE);
            return self.le_zero(&form);
        }
        let negation = self.intern(Node::Not(term), Sort::Bool);
        self.link_negation(term, negation);
        negation
    }

    /// `a` implies `b`.
    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.not(a);
        self.or([not_a, b])
    }

    /// Both boolean terms have the same value.
    pub fn iff(&mut self, a: TermId, b: TermId) -> TermId {
        let not_b = self.not(b);
        self.ite(a, b, not_b)
    }

    /// If `condition` then `yes` else `no`; both of one sort.
    pub fn ite(&mut self, condition: TermId, yes: TermId, no: TermId) -> TermId {
        assert_eq!(self.sort(condition), Sort::Bool, "a condition should be boolean");
        let sort = self.sort(yes);
        assert_eq!(sort, self.sort(no), "both cases should have one sort");
        let (condition, yes, no) = match *self.node(condition) {
            Node::True => return yes,
            Node::False => return no,
            Node::Not(inner) => (inner, no, yes),
            _ => (condition, yes, no),
        };
        if yes == no {
            return yes;
        }
        if sort == Sort::Bool {
            return self.boolean_ite(condition, yes, no);
        }
        self.intern(Node::Ite(condition, yes, no), sort)
    }

    fn boolean_ite(&mut self, condition: TermId, yes: TermId, no: TermId) -> TermId {
        let negated = self.not(condition);
        if yes == Self::TRUE || yes == condition {
            return self.or([condition, no]);
        }
        if yes == Self::FALSE || yes == negated {
            return self.and([negated, no]);
        }
        if no == Self::FALSE || no == condition {
            return self.and([condition, yes]);
        }
        if no == Self::TRUE || no == negated {
            return self.or([negated, yes]);
        }
        // The equivalence of two terms has two forms; take the one with the smaller condition.
        if self.negation(yes) == Some(no) {
            let (positive, negative) = (condition, yes);
            if negative < positive {
                let (condition, yes) = (negative, positive);
                return self.intern(Node::Ite(condition, yes, negated), Sort::Bool);
            }
        }
        self.intern(Node::Ite(condition, yes, no), Sort::Bool)
    }

    /// Equality of two terms of one sort.
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        assert_eq!(self.sort(a), self.sort(b), "an equation should be between terms of one sort");
        match self.sort(a) {
            Sort::Bool => self.iff(a, b),
            Sort::Int => {
                let form = self.linear(a).sub(&self.linear(b));
                self.eq_zero(&form)
            }
            Sort::Array | Sort::BitVec(_) | Sort::BitArray(_) => self.same(a, b),
        }
    }

    /// Disequality of two terms of one sort.
    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    fn same(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b {
            return Self::TRUE;
        }
        if let (Node::BvNumber(..), Node::BvNumber(..)) = (self.node(a), self.node(b)) {
            return Self::FALSE;
        }
        self.intern(Node::Same(a.min(b), a.max(b)), Sort::Bool)
    }

    /// The items of a conjunction, also of conjunctions within it; of another term: the term itself.
    pub fn conjuncts(&self, term: TermId) -> Vec<TermId> {
        self.items(term, |node| if let Node::And(items) = node { Some(items) } else { None })
    }

    /// How the items of two conjunctions differ. Conjunctions within both are not looked into, so this takes as long as what differs is large.
    pub fn compare_conjuncts(&self, left: TermId, right: TermId) -> Comparison {
        let mut open = [BTreeSet::from([left]), BTreeSet::from([right])];
        let mut result = Comparison::default();
        // Ids ascend from items to conjunctions: what both have is open on both sides when its turn comes.
        while let Some(next) = open.iter().filter_map(|side| side.last().copied()).max() {
            let has = [0, 1].map(|side| open[side].remove(&next));
            let only = match has {
                [true, true] => {
                    result.common.push(next);
                    continue;
                }
                [true, false] => (&mut open[0], &mut result.left),
                [false, _] => (&mut open[1], &mut result.right),
            };
            match self.node(next) {
                Node::And(items) => only.0.extend(items.iter().copied()),
                _ => only.1.push(next),
            }
        }
        for items in [&mut result.common, &mut result.left, &mut result.right] {
            items.reverse();
        }
        result
    }

    /// The items of a disjunction, also of disjunctions within it; of another term: the term itself.
    pub fn disjuncts(&self, term: TermId) -> Vec<TermId> {
        self.items(term, |node| if let Node::Or(items) = node { Some(items) } else { None })
    }

    fn items(&self, term: TermId, inner: fn(&Node) -> Option<&[TermId]>) -> Vec<TermId> {
        let (mut items, mut open) = (Vec::new(), vec![term]);
        while let Some(term) = open.pop() {
            match inner(self.node(term)) {
                Some(more) => open.extend(more),
                None => items.push(term),
            }
        }
        items.sort_unstable();
        items.dedup();
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SymbolKind;

    fn booleans(terms: &mut Terms) -> [TermId; 3] {
        ["a", "b", "c"].map(|name| terms.constant(name, Sort::Bool, SymbolKind::Variable))
    }

    #[test]
    fn connectives_are_flat_sorted_and_without_repetition() {
        let mut terms = Terms::new();
        let [a, b, c] = booleans(&mut terms);
        let left = terms.and([a, b]);
        let left = terms.and([left, c]);
        let right = terms.and([c, b, a, b, Terms::TRUE]);
        assert_eq!(left, right);
        assert_eq!(terms.or([a, Terms::FALSE]), a);
        assert_eq!(terms.and([]), Terms::TRUE);
    }

    #[test]
    fn complements_are_noticed() {
        let mut terms = Terms::new();
        let [a, b, _] = booleans(&mut terms);
        let not_a = terms.not(a);
        assert_eq!(terms.and([a, b, not_a]), Terms::FALSE);
        assert_eq!(terms.or([a, b, not_a]), Terms::TRUE);
        assert_eq!(terms.not(not_a), a);
        let x = terms.constant("x", Sort::Int, SymbolKind::Variable);
        let three = terms.int(3);
        let (below, at_least) = (terms.lt(x, three), terms.ge(x, three));
        assert_eq!(terms.and([below, at_least]), Terms::FALSE, "also for atoms that were made independently");
        assert_eq!(terms.not(below), at_least);
    }

    #[test]
    fn equivalence_is_symmetric() {
        let mut terms = Terms::new();
        let [a, b, _] = booleans(&mut terms);
        assert_eq!(terms.iff(a, b), terms.iff(b, a));
        assert_eq!(terms.iff(a, a), Terms::TRUE);
        let not_a = terms.not(a);
        assert_eq!(terms.iff(a, not_a), Terms::FALSE);
    }

    #[test]
    fn a_conjunction_that_grows_item_by_item_takes_linear_space() {
        let mut terms = Terms::new();
        let mut all = Terms::TRUE;
        let count = 100_000;
        for _ in 0..count {
            let item = terms.constant("a", Sort::Bool, SymbolKind::Variable);
            all = terms.and([all, item]);
        }
        assert_eq!(terms.conjuncts(all).len(), count);
        let ids: usize = (0..terms.len() as u32)
            .map(|id| if let Node::And(items) = terms.node(TermId(id)) { items.len() } else { 0 })
            .sum();
        assert!(ids <= count * FLATTEN_LIMIT, "{ids}");
    }

    #[test]
    fn conjunctions_are_compared_without_a_look_at_what_they_share() {
        let mut terms = Terms::new();
        let atoms: Vec<TermId> = (0..2_002)
            .map(|_| {
                let symbol = terms.fresh("a", Sort::Bool, SymbolKind::Variable);
                terms.of_symbol(symbol)
            })
            .collect();
        let shared = atoms[2..].iter().fold(Terms::TRUE, |all, atom| terms.and([all, *atom]));
        let (left, right) = (terms.and([shared, atoms[0]]), terms.and([atoms[1], shared]));
        let found = terms.compare_conjuncts(left, right);
        assert_eq!((&*found.left, &*found.right), (&atoms[..1], &atoms[1..2]));
        assert!(found.common.len() <= FLATTEN_LIMIT, "{}", found.common.len());
        let common = terms.and(found.common);
        assert_eq!(terms.conjuncts(common), terms.conjuncts(shared));
        // One of them is a part of the other.
        let found = terms.compare_conjuncts(left, shared);
        assert_eq!((found.left.len(), found.right.len()), (1, 0));
    }
}
